"""States of threads in their wire form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from langgraph.types import Interrupt, StateSnapshot

from .failures import public_task_error
from .json_text import loads, wire_json

Json = dict[str, Any]


def summary(snapshot: StateSnapshot) -> Json:
    """The part of a graph's latest checkpoint that the thread record shows."""
    values = _plain(snapshot.values) if has_checkpoint(snapshot) else None
    if not isinstance(values, dict | None):
        # A functional graph's state may be a bare value.
        values = {"__root__": values}
    interrupts = {
        task.id: [public_interrupt(interrupt) for interrupt in task.interrupts]
        for task in snapshot.tasks
        if task.interrupts
    }
    # `next` omits a node that interrupts again after a resume.
    return {"values": values, "interrupts": interrupts, "waiting": bool(snapshot.next) or bool(interrupts)}


def run_summary(snapshot: StateSnapshot, output_channels: str | Sequence[str]) -> Json:
    """A summary with the run's output, if that is a part of the state, and its interrupts in the engine's form."""
    found = summary(snapshot)
    values = found["values"] or {}
    if not isinstance(output_channels, str) and not values.keys() <= set(output_channels):
        found["output"] = {name: value for name, value in values.items() if name in output_channels}
    if found["interrupts"]:
        found["open"] = [_plain(interrupt) for task in snapshot.tasks for interrupt in task.interrupts]
    return found


def thread_state(snapshot: StateSnapshot) -> Json:
    checkpoint, parent = point_of(snapshot.config), point_of(snapshot.parent_config)
    tasks = [_task(task) for task in snapshot.tasks]
    return {
        "values": _plain(snapshot.values),
        "next": list(snapshot.next),
        "tasks": tasks,
        "metadata": _plain(snapshot.metadata),
        "created_at": snapshot.created_at,
        "checkpoint": checkpoint,
        "parent_checkpoint": parent,
        "interrupts": [interrupt for task in tasks for interrupt in task["interrupts"]],
        "checkpoint_id": (checkpoint or {}).get("checkpoint_id"),
        "parent_checkpoint_id": (parent or {}).get("checkpoint_id"),
    }


def has_checkpoint(snapshot: StateSnapshot) -> bool:
    return point_of(snapshot.config) is not None and snapshot.created_at is not None


def point_of(config: Mapping[str, Any] | None) -> Json | None:
    """The checkpoint in a configuration, if any."""
    configurable = (config or {}).get("configurable") or {}
    if not configurable.get("checkpoint_id"):
        return None
    point = {
        "thread_id": configurable.get("thread_id"),
        "checkpoint_ns": configurable.get("checkpoint_ns") or "",
        "checkpoint_id": configurable["checkpoint_id"],
    }
    if configurable.get("checkpoint_map") is not None:
        point["checkpoint_map"] = configurable["checkpoint_map"]
    return point


def public_interrupt(interrupt: Interrupt) -> Json:
    public = {"value": _plain(interrupt.value), "id": interrupt.id}
    schema = getattr(interrupt, "response_schema", None)
    return public if schema is None else {**public, "response_schema": _plain(schema)}


def _error_text(error: object) -> str | None:
    """As Python prints an exception."""
    if not error:
        return None
    public = public_task_error(error)
    return f"{public['error']}({public['message']!r})"


def _task(task: Any) -> Json:
    nested = task.state if isinstance(task.state, StateSnapshot) else None
    configurable = None if nested or not task.state else task.state.get("configurable")
    checkpoint = None
    if configurable:
        checkpoint = {
            "thread_id": configurable.get("thread_id"),
            "checkpoint_ns": configurable.get("checkpoint_ns") or "",
        }
    return {
        "id": task.id,
        "name": task.name,
        "path": _plain(task.path),
        "error": _error_text(task.error),
        "interrupts": [public_interrupt(interrupt) for interrupt in task.interrupts],
        "checkpoint": checkpoint,
        "state": thread_state(nested) if nested else None,
        "result": _plain(getattr(task, "result", None)),
    }


def _plain(value: object) -> Any:
    return None if value is None else loads(wire_json(value))
