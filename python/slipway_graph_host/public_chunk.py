"""Chunks of the engine as clients may see them: failures without secrets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from langgraph.types import StateSnapshot

from .failures import public_task_error
from .tool_failures import ToolFailures

Fields = dict[str, Any]
_POINT = ("thread_id", "checkpoint_ns", "checkpoint_id", "checkpoint_map")
_NAMES = (*_POINT, "run_id", "graph_id", "assistant_id")


def public_chunk(mode: str, data: Any, tools: ToolFailures) -> Any:
    if not isinstance(data, dict):
        return data
    if mode == "tools":
        return _tool(data, tools)
    shape = _SHAPES.get(mode)
    return shape(data) if shape else data


def public_record(record: Any, tools: ToolFailures) -> Any:
    """Like `public_chunk`, for a record of the `events` mode, which may carry a chunk of another mode."""
    data = record.get("data")
    if not isinstance(data, dict):
        return record
    if record.get("event") == "on_tool_error":
        return {**record, "data": {**data, "error": tools.public(data.get("error"))}}
    chunk = data.get("chunk")
    if record.get("event") != "on_chain_stream" or not isinstance(chunk, tuple | list):
        return record
    # (mode, data), or (namespace, mode, data).
    if len(chunk) < 2 or not isinstance(chunk[-2], str):
        return record
    shown = [*chunk[:-1], public_chunk(chunk[-2], chunk[-1], tools)]
    return {**record, "data": {**data, "chunk": shown}}


def _configurable(config: object) -> Fields | None:
    configurable = config.get("configurable") if isinstance(config, dict) else None
    return configurable if isinstance(configurable, dict) else None


def _public_config(config: object) -> Fields | None:
    """Hides other keys, which are private to the caller and the graph."""
    configurable = _configurable(config)
    if configurable is None:
        return None
    return {"configurable": {key: configurable[key] for key in _NAMES if key in configurable}}


def _point(config: object) -> Fields | None:
    configurable = _configurable(config) or {}
    return {key: configurable[key] for key in _POINT if key in configurable} or None


def _checkpoint(data: Fields) -> Fields:
    if "values" not in data:
        return data
    return {
        **data,
        "config": _public_config(data.get("config")),
        "parent_config": _public_config(data.get("parent_config")),
        "tasks": [_checkpoint_task(task) for task in data.get("tasks") or []],
    }


def _checkpoint_task(task: Any) -> Any:
    if not isinstance(task, dict):
        return task
    state = task.get("state")
    shown = {**task, "state": state.config if isinstance(state, StateSnapshot) else state}
    return {**shown, "error": public_task_error(shown["error"])} if shown.get("error") else shown


def _task(data: Fields) -> Fields:
    return {**data, "error": public_task_error(data["error"])} if data.get("error") else data


def _debug(data: Fields) -> Fields:
    kind, payload = data.get("type"), data.get("payload")
    if not isinstance(payload, dict):
        return data
    if kind == "checkpoint":
        return {**data, "payload": _debug_checkpoint(payload)}
    return {**data, "payload": _task(payload)} if kind == "task_result" else data


def _debug_checkpoint(payload: Fields) -> Fields:
    """Clients of this mode read points, not configurations."""
    shown = _checkpoint(payload)
    return {
        **shown,
        "checkpoint": _point(shown.get("config")),
        "parent_checkpoint": _point(shown.get("parent_config")),
        "tasks": [_debug_task(task) for task in shown.get("tasks") or []],
    }


def _debug_task(task: Any) -> Any:
    point = _point(task.get("state")) if isinstance(task, dict) else None
    return {**{key: value for key, value in task.items() if key != "state"}, "checkpoint": point} if point else task


def _tool(data: Fields, tools: ToolFailures) -> Fields:
    if data.get("event") == "on_tool_error":
        return {**data, "error": tools.public(data.get("error"))}
    if data.get("event") == "tool-error":
        return {**data, "message": tools.public(data.get("message"))["message"]}
    return data


_SHAPES: dict[str, Callable[[Fields], Fields]] = {
    "tasks": _task,
    "checkpoints": _checkpoint,
    "debug": _debug,
}
