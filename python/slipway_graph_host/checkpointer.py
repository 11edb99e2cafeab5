"""The engine's checkpointer, backed by the server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata, CheckpointTuple

from .channel import Channel
from .checkpoint_memory import CheckpointMemory
from .checkpoint_records import (
    Place,
    checkpoint_id_of,
    config_of,
    is_uuid,
    place_of,
    required_place,
    to_tuple,
)
from .checkpoint_units import CheckpointUnits, write_rows
from .json_text import wire_json
from .stored_value import revive_value
from .sync_checkpointer import SyncCheckpointer
from .write_batch import Unit, WriteBatch

_FIRST_PAGE = 10
_LARGEST_PAGE = 100
# In seconds. A shorter run stores all of its checkpoints with its outcome.
_FIRST_WRITE_WAITS = 0.015


class HostCheckpointer(SyncCheckpointer):
    """Create one per run or operation."""

    def __init__(
        self,
        channel: Channel,
        scope: int,
        *,
        run_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        on_failure: Callable[[BaseException], None] | None = None,
        start: tuple[Place, Mapping[str, Any] | None] | None = None,
        deferred: bool = False,
    ) -> None:
        """
        `start` is the thread's latest checkpoint when the run was claimed, if known. Puts of a `deferred` run settle
        before they are stored, and `take` returns the last ones.
        """
        super().__init__(channel.loop)
        self._channel = channel
        self._scope = scope
        self._run_id = run_id
        self._units = CheckpointUnits(metadata or {})
        # Only a run is its thread's single writer.
        self._memory = CheckpointMemory(self._units.delta_channels) if run_id else None
        self._deferred = deferred
        self._batch = WriteBatch(self._write, self._failed, wait=_FIRST_WRITE_WAITS if deferred else 0)
        self._on_failure = on_failure
        if start and self._memory:
            self._memory.read(*start)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        place, checkpoint_id = place_of(config), checkpoint_id_of(config)
        if place is None or (checkpoint_id is not None and not is_uuid(checkpoint_id)):
            return None
        if self._memory:
            is_known, known = self._memory.find(place, checkpoint_id)
            if is_known:
                return self._to_tuple(known.stored()) if known else None
        await self._batch.drain()
        stored = await self._call(
            "checkpoint.find",
            thread_id=place[0],
            checkpoint_ns=place[1],
            **({"checkpoint_id": checkpoint_id} if checkpoint_id else {}),
        )
        if self._memory and checkpoint_id is None:
            self._memory.read(place, stored)
        return self._to_tuple(stored) if stored else None

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        wanted = _list_filter(config or {}, filter, before)
        left = limit
        size = _FIRST_PAGE
        while wanted is not None and (left is None or left > 0):
            await self._batch.drain()
            count = size if left is None else min(left, _LARGEST_PAGE)
            page = await self._call("checkpoint.list", filter=wanted, limit=count)
            for stored in page:
                yield self._to_tuple(stored)
            if len(page) < count:
                return
            left = None if left is None else left - len(page)
            size = min(size * 2, _LARGEST_PAGE)
            last = page[-1]["row"]
            wanted["after"] = {key: last[key] for key in ("thread_id", "checkpoint_ns", "checkpoint_id")}

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        place = required_place(config)
        run_id = self._run_of(config)
        unit = self._units.checkpoint(self.serde, config, run_id, checkpoint, metadata, new_versions)
        committed = self._add(unit)
        if not self._deferred:
            await self._batch.hold(place, committed)
        return config_of(place, checkpoint["id"].lower())

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        place, checkpoint_id = required_place(config), checkpoint_id_of(config)
        if checkpoint_id is None:
            raise ValueError("Pending writes need configurable.checkpoint_id")
        rows = write_rows(self.serde, place, checkpoint_id, self._run_of(config), task_id, task_path, writes)
        committed = self._add({"changed": [], "values": [], "writes": rows})
        if not self._deferred:
            self._batch.release(place)
            await committed

    async def drain(self) -> None:
        """Waits until all puts are stored. Raises if a write of the run failed."""
        await self._batch.drain()

    async def take(self) -> list[Unit]:
        """Returns the last puts for the caller to store. Raises if a write of the run failed."""
        return await self._batch.take()

    async def adelete_thread(self, thread_id: str) -> None:
        await self._batch.drain()
        await self._call("checkpoint.delete_thread", thread_id=thread_id)

    async def aget_delta_channel_history(self, *, config: RunnableConfig, channels: Sequence[str]) -> Mapping[str, Any]:
        self._units.delta_channels.update(channels)
        point = config
        if channels and not checkpoint_id_of(config):
            latest = await self.aget_tuple(config)
            point = latest.config if latest else {}
        place, checkpoint_id = place_of(point), checkpoint_id_of(point)
        if not channels or place is None or checkpoint_id is None:
            return {name: {"writes": []} for name in channels}
        histories = await self._histories(place, checkpoint_id, channels)
        return {name: self._revived(histories.get(name) or {"writes": []}) for name in channels}

    async def _histories(self, place: Place, checkpoint_id: str, channels: Sequence[str]) -> Mapping[str, Any]:
        if self._memory:
            known = {name: self._memory.history(place, checkpoint_id, name) for name in channels}
            if all(history is not None for history in known.values()):
                return known
        await self._batch.drain()
        found: Mapping[str, Any] = await self._call(
            "checkpoint.histories",
            thread_id=place[0],
            checkpoint_ns=place[1],
            checkpoint_id=checkpoint_id,
            channels=[*channels],
        )
        if self._memory:
            self._memory.read_histories(place, checkpoint_id, found)
        return found

    def _run_of(self, config: RunnableConfig) -> str | None:
        """The run of this call's config; the checkpoint's own metadata may be of an earlier run."""
        found = self._run_id or (config.get("metadata") or {}).get("run_id")
        return str(found) if is_uuid(str(found)) else None

    def _to_tuple(self, stored: Mapping[str, Any]) -> CheckpointTuple:
        self._units.delta_channels.update(stored["row"].get("delta_channels") or [])
        return to_tuple(self.serde, stored)

    def _revived(self, history: Mapping[str, Any]) -> dict[str, Any]:
        revived: dict[str, Any] = {
            "writes": [
                (write["task_id"], write["channel"], revive_value(self.serde, write)) for write in history["writes"]
            ]
        }
        if history.get("seed"):
            revived["seed"] = revive_value(self.serde, history["seed"])
        return revived

    def _add(self, unit: Unit) -> asyncio.Future[None]:
        committed = self._batch.add(unit)
        if self._memory:
            self._memory.wrote(unit)
        return committed

    def _failed(self, error: BaseException) -> None:
        if self._memory:
            self._memory.forget()
        if self._on_failure:
            self._on_failure(error)

    async def _write(self, units: Sequence[Unit]) -> None:
        await self._call("checkpoint.write", units=units)

    async def _call(self, method: str, **params: Any) -> Any:
        return await self._channel.call(method, {"scope": self._scope, **params})


def _list_filter(
    config: RunnableConfig | Mapping[str, Any], filter: dict[str, Any] | None, before: RunnableConfig | None
) -> dict[str, Any] | None:
    """None if nothing can match."""
    configurable = config.get("configurable") or {}
    place, checkpoint_id = place_of(config), checkpoint_id_of(config)
    before_id = checkpoint_id_of(before) if before else None
    if configurable.get("thread_id") is not None and place is None:
        return None
    if any(found is not None and not is_uuid(found) for found in (checkpoint_id, before_id)):
        return None
    wanted = {
        "thread_id": place[0] if place else None,
        "checkpoint_ns": configurable.get("checkpoint_ns"),
        "checkpoint_id": checkpoint_id,
        "before": before_id,
        "metadata": wire_json(filter).decode() if filter else None,
    }
    return {key: value for key, value in wanted.items() if value is not None}
