"""The records that a put, and a put of writes, store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata
from langgraph.checkpoint.serde.base import SerializerProtocol

from .checkpoint_records import Place, checkpoint_id_of, required_place
from .json_text import dumps, wire_json
from .stored_value import store_value
from .write_batch import Unit

Row = dict[str, Any]

# Run id of writes that belong to no run.
_NIL_RUN = "00000000-0000-0000-0000-000000000000"
# Marks of a task have negative indexes, to distinguish them from its writes.
_MARKS = {"__error__": -1, "__scheduled__": -2, "__interrupt__": -3, "__resume__": -4}
_TRANSIENT = {
    "langgraph_auth_user",
    "langgraph_auth_user_id",
    "langgraph_auth_permissions",
    "langgraph_request_id",
}
# Metadata that repeats columns of the row.
_BOOKKEEPING = {
    "thread_id",
    "checkpoint_id",
    "checkpoint_ns",
    "checkpoint_map",
    "langgraph_step",
    "langgraph_node",
    "langgraph_triggers",
    "langgraph_path",
    "langgraph_checkpoint_ns",
}


class CheckpointUnits:
    """Copies its arguments synchronously."""

    def __init__(self, metadata: Mapping[str, Any]) -> None:
        self._metadata = metadata
        # The known delta channels, whose values are rebuilt from their writes.
        self.delta_channels: set[str] = set()

    def checkpoint(
        self,
        serde: SerializerProtocol,
        config: RunnableConfig,
        run_id: str | None,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> Unit:
        (thread, namespace), checkpoint_id = required_place(config), checkpoint["id"].lower()
        body: dict[str, Any] = {**checkpoint}
        values: dict[str, Any] = body.pop("channel_values")
        versions: dict[str, Any] = body.pop("channel_versions")
        for key in ("v", "id", "pending_sends"):
            body.pop(key, None)
        self._note_delta_channels(values, metadata)
        parent = checkpoint_id_of(config)
        place = {"thread_id": thread, "checkpoint_ns": namespace}
        row = {
            **place,
            "checkpoint_id": checkpoint_id,
            "parent_checkpoint_id": None if parent == checkpoint_id else parent,
            "run_id": run_id,
            "format": checkpoint["v"],
            "channel_versions": versions,
            "delta_channels": [name for name in versions if name in self.delta_channels] or None,
            "body": dumps(body).decode(),
            "metadata": _stored_metadata(config.get("metadata") or {}, self._metadata, metadata),
        }
        stored = [
            {**place, "channel": channel, "version": str(version), **store_value(serde, values[channel])}
            for channel, version in new_versions.items()
            if channel in values
        ]
        return {"checkpoint": row, "changed": list(new_versions), "values": stored, "writes": []}

    def _note_delta_channels(self, values: Mapping[str, Any], metadata: Mapping[str, Any]) -> None:
        self.delta_channels.update(metadata.get("counters_since_delta_snapshot") or {})
        self.delta_channels.update(name for name, value in values.items() if type(value).__name__ == "_DeltaSnapshot")


def _stored_metadata(run: Mapping[str, Any], server: Mapping[str, Any], engine: Mapping[str, Any]) -> str:
    """A checkpoint's metadata: the run's, overridden by the server's, then by the engine's."""
    merged = {key: value for key, value in run.items() if key not in _BOOKKEEPING} | {**server} | {**engine}
    kept = {
        key: value
        for key, value in merged.items()
        if key not in _TRANSIENT and not key.startswith("__") and value is not None
    }
    return wire_json(kept).decode()


def write_rows(
    serde: SerializerProtocol,
    place: Place,
    checkpoint_id: str,
    run_id: str | None,
    task_id: str,
    task_path: str,
    writes: Sequence[tuple[str, Any]],
) -> list[Row]:
    thread, namespace = place
    return [
        {
            "thread_id": thread,
            "checkpoint_ns": namespace,
            "checkpoint_id": checkpoint_id,
            "task_id": task_id,
            **({"task_path": task_path} if task_path else {}),
            "idx": _MARKS.get(channel, position),
            "run_id": run_id or _NIL_RUN,
            "channel": channel,
            **store_value(serde, value),
        }
        for position, (channel, value) in enumerate(writes)
    ]
