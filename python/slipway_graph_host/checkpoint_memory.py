"""What one run has read and written, so that it need not read it again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .checkpoint_records import Place
from .stored_value import StoredValue
from .write_batch import Unit

# Subgraphs of one run whose latest checkpoint is kept.
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
    # The latest checkpoint; None when there is none, where `is_known`.
    latest: Known | None = None
    is_known: bool = False
    # Writes that came before their checkpoint.
    early: dict[str, Writes] = field(default_factory=dict)
    # Whether this run put a checkpoint here.
    written: bool = False


class CheckpointMemory:
    """
    Right only as long as the run is the one writer of its thread. Everything is kept serialised: a state that is
    handed out is never one that somebody else changes.
    """

    def __init__(self, delta_channels: set[str]) -> None:
        self._delta_channels = delta_channels
        self._namespaces: dict[Place, _Namespace] = {}

    def find(self, place: Place, checkpoint_id: str | None) -> tuple[bool, Known | None]:
        """Whether it is known here, and what it is."""
        namespace = self._namespaces.get(place)
        if namespace is None:
            return checkpoint_id is None and self._is_new(place), None
        latest = namespace.latest
        if checkpoint_id is None:
            return namespace.is_known, latest
        return (True, latest) if latest and latest.row["checkpoint_id"] == checkpoint_id else (False, None)

    def read(self, place: Place, found: Mapping[str, Any] | None) -> None:
        """Notes the answer to a search for the latest checkpoint."""
        namespace = self._namespace(place)
        if namespace.written:
            # What was written while the server was asked is newer than its answer.
            return
        namespace.is_known = True
        if found is None:
            return
        row = found["row"]
        writes: Writes = {}
        _add(writes, [*found["writes"], *namespace.early.pop(row["checkpoint_id"], {}).values()])
        namespace.latest = Known(row, dict(found["values"]), writes)

    def history(self, place: Place, checkpoint_id: str, channel: str) -> dict[str, Any] | None:
        """How a channel came to what it is at a checkpoint; None when only the server knows."""
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
        """Notes what goes to the server."""
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
            # A later run leaves an earlier one's checkpoint as it was.
            return
        parent = before if before and before.row["checkpoint_id"] == row["parent_checkpoint_id"] else None
        early = namespace.early.pop(row["checkpoint_id"], {})
        known = Known(row, _carried(row, unit, before), again.writes if again else early)
        if again:
            known.row = {**row, "parent_checkpoint_id": again.row["parent_checkpoint_id"]}
            known.histories = again.histories
        elif parent:
            known.histories = self._continued(parent)
        # A checkpoint of another machine, whose clock is ahead, may still be the latest.
        is_latest = before is None or before.row["checkpoint_id"] <= row["checkpoint_id"]
        complete = is_latest and _is_complete(row, unit, before)
        namespace.latest = known if complete else None
        namespace.is_known = complete

    def _continued(self, parent: Known) -> dict[str, dict[str, Any]]:
        """Histories of a checkpoint's child."""
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
        """Of a subgraph; that there is a namespace is still known."""
        for (_, name), namespace in self._namespaces.items():
            if name and namespace.latest:
                namespace.latest, namespace.is_known = None, False
                return

    def _is_new(self, place: Place) -> bool:
        """
        A subgraph's namespace names the task that runs it (`node:task id`), and a task's id is derived from the
        checkpoint it starts from: what runs on top of a checkpoint of this run has no past.
        """
        thread, namespace = place
        path = namespace.split("|")
        for depth, segment in enumerate(path):
            parent = self._namespaces.get((thread, "|".join(path[:depth])))
            if parent and parent.written and _OF_A_TASK.search(segment):
                return True
        return False


def sorted_writes(writes: Writes) -> list[Row]:
    """By task, then by index: the order in which the engine applies them."""
    return [writes[key] for key in sorted(writes)]


def _add(writes: Writes, rows: Iterable[Row]) -> None:
    """Of several marks of a task the last counts, of several writes with one index the first."""
    for row in rows:
        key = (row["task_id"], row["idx"])
        if row["idx"] < 0 or key not in writes:
            writes[key] = row


def _history_at(known: Known, channel: str) -> dict[str, Any] | None:
    found = known.histories.get(channel)
    return {"writes": []} if found is None and known.row["parent_checkpoint_id"] is None else found


def _carried(row: Row, unit: Unit, before: Known | None) -> dict[str, StoredValue]:
    """The values that a new checkpoint names: those that came with it, and what did not change."""
    values = {value["channel"]: {"type": value["type"], "value": value["value"]} for value in unit["values"]}
    for channel, version in row["channel_versions"].items():
        if channel in values or before is None or channel in unit["changed"]:
            continue
        if before.row["channel_versions"].get(channel) == version and channel in before.values:
            values[channel] = before.values[channel]
    return values


def _is_complete(row: Row, unit: Unit, before: Known | None) -> bool:
    """False when a value may be stored that is not at hand."""
    changed = set(unit["changed"])
    known = before.row["channel_versions"] if before else {}
    return all(
        channel in changed or known.get(channel) == version for channel, version in row["channel_versions"].items()
    )
