"""Chunks of the engine as clients may see them: errors without secrets, and no server configuration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from langgraph.types import StateSnapshot

from .thread_state import error_text
from .tool_failures import ToolFailures

Fields = dict[str, Any]
_POINT = ("thread_id", "checkpoint_ns", "checkpoint_id", "checkpoint_map")


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


def _point_config(config: object) -> Fields | None:
    """Keeps only the checkpoint's ids, none of the engine's or server's configuration."""
    configurable = _configurable(config)
    if configurable is None:
        return None
    return {"configurable": {key: configurable[key] for key in _POINT if key in configurable}}


def _point(config: object) -> Fields | None:
    configurable = _configurable(config) or {}
    if not configurable.get("thread_id"):
        return None
    return {
        "thread_id": configurable["thread_id"],
        "checkpoint_id": configurable.get("checkpoint_id"),
        "checkpoint_ns": configurable.get("checkpoint_ns") or "",
        "checkpoint_map": configurable.get("checkpoint_map"),
    }


def _saved_point(config: object) -> Fields | None:
    point = _point(config)
    return point if point and point["checkpoint_id"] else None


def _checkpoint(data: Fields) -> Fields:
    if "values" not in data:
        return data
    config, parent = data.get("config"), data.get("parent_config")
    return {
        **data,
        "config": _point_config(config),
        "parent_config": _point_config(parent),
        "checkpoint": _saved_point(config),
        "parent_checkpoint": _saved_point(parent),
        "tasks": [_checkpoint_task(task) for task in data.get("tasks") or []],
    }


def _checkpoint_task(task: Any) -> Any:
    if not isinstance(task, dict):
        return task
    shown = dict(task)
    state = shown.pop("state", None)
    if isinstance(state, StateSnapshot):
        state = state.config
    point = _point(state)
    if point:
        shown["checkpoint"] = point
    else:
        shown["state"] = None
    if "error" in shown:
        shown["error"] = error_text(shown["error"])
    return shown


def _task(data: Fields) -> Fields:
    return {**data, "error": error_text(data.get("error"))} if "result" in data else data


def _debug(data: Fields) -> Fields:
    kind, payload = data.get("type"), data.get("payload")
    if not isinstance(payload, dict):
        return data
    if kind == "checkpoint":
        return {**data, "payload": _checkpoint(payload)}
    return {**data, "payload": _task(payload)} if kind == "task_result" else data


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
