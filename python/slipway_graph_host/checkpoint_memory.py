"""Caches what one run has read and written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .checkpoint_records import Place
from .stored_value import StoredValue
from .write_batch import Unit

# Limit of subgraph namespaces remembered per run.
_MOST_NAMESPACES = 32
_OF_A_TASK = re.compile(r":[0-9a-f-]{36}$")

Row = dict[str, Any]
Writes = dict[tuple[str, int], Row]


@dataclass
class Known:
    row: Row
    values: dict[str, StoredValue]
    writes: Writes
    histories: dict[str, dict[str, Any]] = field(default_factory=dict)

    def stored(self) -> dict[str, Any]:
        return {"row": self.row, "values": self.values, "writes": sorted_writes(self.writes)}


@dataclass
class _Namespace:
    # The latest checkpoint; None means there is none if `is_known`.
    latest: Known | None = None
    is_known: bool = False
    # Writes that arrived before their checkpoint.
    early: dict[str, Writes] = field(default_factory=dict)
    # Whether this run put a checkpoint here.
    written: bool = False


class CheckpointMemory:
    """
    Valid only while the run is its thread's single writer. Everything is kept serialised, so that no two readers
    share a state.
    """

    def __init__(self, delta_channels: set[str]) -> None:
        self._delta_channels = delta_channels
        self._namespaces: dict[Place, _Namespace] = {}

    def find(self, place: Place, checkpoint_id: str | None) -> tuple[bool, Known | None]:
        """Returns whether the checkpoint is cached or known to be missing, and the checkpoint."""
        namespace = self._namespaces.get(place)
        if namespace is None:
            return checkpoint_id is None and self._is_new(place), None
        latest = namespace.latest
        if checkpoint_id is None:
            return namespace.is_known, latest
        return (True, latest) if latest and latest.row["checkpoint_id"] == checkpoint_id else (False, None)

    def read(self, place: Place, found: Mapping[str, Any] | None) -> None:
        """Records the server's answer to a search for the latest checkpoint."""
        namespace = self._namespace(place)
        if namespace.written:
            # A checkpoint written during the query is newer than the query's result.
            return
        namespace.is_known = True
        if found is None:
            return
        row = found["row"]
        writes: Writes = {}
        _add(writes, [*found["writes"], *namespace.early.pop(row["checkpoint_id"], {}).values()])
        namespace.latest = Known(row, dict(found["values"]), writes)

    def history(self, place: Place, checkpoint_id: str, channel: str) -> dict[str, Any] | None:
        """A channel's history up to a checkpoint; None if only the server knows."""
        namespace = self._namespaces.get(place)
        known = namespace.latest if namespace else None
        if known is None or known.row["checkpoint_id"] != checkpoint_id:
            return None
        return _history_at(known, channel)

    def read_histories(self, place: Place, checkpoint_id: str, histories: Mapping[str, Any]) -> None:
        namespace = self._namespaces.get(place)
        if namespace and namespace.latest and namespace.latest.row["checkpoint_id"] == checkpoint_id:
            namespace.latest.histories.update(histories)

    def wrote(self, unit: Unit) -> None:
        """Records a write to the server."""
        for write in unit["writes"]:
            namespace = self._namespace((write["thread_id"], write["checkpoint_ns"]))
            latest, checkpoint_id = namespace.latest, write["checkpoint_id"]
            is_latest = latest is not None and latest.row["checkpoint_id"] == checkpoint_id
            pending = latest.writes if latest and is_latest else namespace.early.setdefault(checkpoint_id, {})
            _add(pending, [write])
        if "checkpoint" in unit:
            self._wrote_checkpoint(unit["checkpoint"], unit)

    def forget(self) -> None:
        self._namespaces.clear()

    def _wrote_checkpoint(self, row: Row, unit: Unit) -> None:
        namespace = self._namespace((row["thread_id"], row["checkpoint_ns"]))
        before = namespace.latest
        namespace.written = True
        again = before if before and before.row["checkpoint_id"] == row["checkpoint_id"] else None
        if again and again.row["run_id"] != row["run_id"]:
            # A run does not change an earlier run's checkpoint.
            return
        parent = before if before and before.row["checkpoint_id"] == row["parent_checkpoint_id"] else None
        early = namespace.early.pop(row["checkpoint_id"], {})
        known = Known(row, _carried(row, unit, before), again.writes if again else early)
        if again:
            known.row = {**row, "parent_checkpoint_id": again.row["parent_checkpoint_id"]}
            known.histories = again.histories
        elif parent:
            known.histories = self._continued(parent)
        # A checkpoint from a machine whose clock is ahead may still be the latest.
        is_latest = before is None or before.row["checkpoint_id"] <= row["checkpoint_id"]
        complete = is_latest and _is_complete(row, unit, before)
        namespace.latest = known if complete else None
        namespace.is_known = complete

    def _continued(self, parent: Known) -> dict[str, dict[str, Any]]:
        """Channel histories for a child of this checkpoint."""
        histories: dict[str, dict[str, Any]] = {}
        pending = sorted_writes(parent.writes)
        for channel in self._delta_channels:
            seed = parent.values.get(channel)
            before = {"seed": seed, "writes": []} if seed else _history_at(parent, channel)
            if before is not None:
                own = [write for write in pending if write["channel"] == channel]
                histories[channel] = {**before, "writes": [*before["writes"], *own]}
        return histories

    def _namespace(self, place: Place) -> _Namespace:
        namespace = self._namespaces.get(place)
        if namespace is None:
            namespace = self._namespaces[place] = _Namespace()
            if len(self._namespaces) > _MOST_NAMESPACES:
                self._drop_oldest()
        return namespace

    def _drop_oldest(self) -> None:
        """Drops the oldest subgraph's checkpoint, but still remembers its namespace."""
        for (_, name), namespace in self._namespaces.items():
            if name and namespace.latest:
                namespace.latest, namespace.is_known = None, False
                return

    def _is_new(self, place: Place) -> bool:
        """
        A subgraph's namespace contains its task's id (`node:task id`), which is derived from the checkpoint the task
        starts from. So a subgraph that starts from a checkpoint of this run has no earlier checkpoints.
        """
        thread, namespace = place
        path = namespace.split("|")
        for depth, segment in enumerate(path):
            parent = self._namespaces.get((thread, "|".join(path[:depth])))
            if parent and parent.written and _OF_A_TASK.search(segment):
                return True
        return False


def sorted_writes(writes: Writes) -> list[Row]:
    """Sorted by task, then index, as the engine applies them."""
    return sorted(writes.values(), key=lambda row: (row.get("task_path", ""), row["task_id"], row["idx"]))


def _add(writes: Writes, rows: Iterable[Row]) -> None:
    """Keeps the last of a task's marks, and the first of several writes with the same index."""
    for row in rows:
        key = (row["task_id"], row["idx"])
        if row["idx"] < 0 or key not in writes:
            writes[key] = row


def _history_at(known: Known, channel: str) -> dict[str, Any] | None:
    found = known.histories.get(channel)
    return {"writes": []} if found is None and known.row["parent_checkpoint_id"] is None else found


def _carried(row: Row, unit: Unit, before: Known | None) -> dict[str, StoredValue]:
    """A new checkpoint's values: those that came with it, and the previous ones that did not change."""
    values = {value["channel"]: {"type": value["type"], "value": value["value"]} for value in unit["values"]}
    for channel, version in row["channel_versions"].items():
        if channel in values or before is None or channel in unit["changed"]:
            continue
        if before.row["channel_versions"].get(channel) == version and channel in before.values:
            values[channel] = before.values[channel]
    return values


def _is_complete(row: Row, unit: Unit, before: Known | None) -> bool:
    """False if a value may be stored but is not cached."""
    changed = set(unit["changed"])
    known = before.row["channel_versions"] if before else {}
    return all(
        channel in changed or known.get(channel) == version for channel, version in row["channel_versions"].items()
    )
