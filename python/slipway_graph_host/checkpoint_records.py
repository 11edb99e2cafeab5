"""Converts checkpoints between stored rows and the engine's form."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Mapping
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointTuple
from langgraph.checkpoint.serde.base import SerializerProtocol

from .json_text import loads
from .stored_value import revive_value

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)

Place = tuple[str, str]


def is_uuid(value: object) -> bool:
    return isinstance(value, str) and _UUID.fullmatch(value) is not None


def place_of(config: RunnableConfig | Mapping[str, Any]) -> Place | None:
    """Thread and namespace; None if the thread id is missing or invalid."""
    configurable = config.get("configurable") or {}
    thread = configurable.get("thread_id")
    thread = None if thread is None else str(thread)
    return (str(thread).lower(), configurable.get("checkpoint_ns") or "") if is_uuid(thread) else None


def required_place(config: RunnableConfig) -> Place:
    place = place_of(config)
    if place is None:
        thread = (config.get("configurable") or {}).get("thread_id")
        raise ValueError(f"A checkpoint needs configurable.thread_id, a UUID; it is {thread}")
    return place


def checkpoint_id_of(config: RunnableConfig | Mapping[str, Any]) -> str | None:
    found = (config.get("configurable") or {}).get("checkpoint_id")
    return str(found).lower() if found else None


def config_of(place: Place, checkpoint_id: str) -> RunnableConfig:
    thread, namespace = place
    return {"configurable": {"thread_id": thread, "checkpoint_ns": namespace, "checkpoint_id": checkpoint_id}}


# A version has a counter in its high bits and random low bits, and fits exactly into a JSON number.
_CHANCES = 2**22
_EPOCH_SECONDS = 1_735_689_600


def version_after(current: int | None) -> int:
    """
    A version identifies a stored value, so two branches of the same checkpoint must not assign one version to different
    values: the counter follows the clock, and the low bits are random.
    """
    count = max(int(time.time()) - _EPOCH_SECONDS, (current or 0) // _CHANCES + 1)
    return count * _CHANCES + random.randrange(_CHANCES)


def to_tuple(serde: SerializerProtocol, stored: Mapping[str, Any]) -> CheckpointTuple:
    """Builds the engine's view of a stored checkpoint, a new copy each time."""
    row = stored["row"]
    place = (row["thread_id"], row["checkpoint_ns"])
    parent = row.get("parent_checkpoint_id")
    values = {channel: revive_value(serde, value) for channel, value in stored["values"].items()}
    writes = [(write["task_id"], write["channel"], revive_value(serde, write)) for write in stored["writes"]]
    checkpoint = {
        **loads(row["body"]),
        "v": row["format"],
        "id": row["checkpoint_id"],
        "channel_values": values,
        "channel_versions": dict(row["channel_versions"]),
    }
    return CheckpointTuple(
        config_of(place, row["checkpoint_id"]),
        cast("Any", checkpoint),
        loads(row["metadata"]),
        config_of(place, parent) if parent else None,
        writes,
    )
