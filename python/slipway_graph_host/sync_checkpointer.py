"""The checkpointer's synchronous interface, for graphs that run in node threads."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from .checkpoint_records import version_after
from .threads import wait_in_thread


class SyncCheckpointer(BaseCheckpointSaver[int]):
    """Each method waits for its asynchronous counterpart."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(serde=JsonPlusSerializer(pickle_fallback=True))
        self._loop = loop

    def get_next_version(self, current: int | None, channel: None) -> int:
        return version_after(current)

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return wait_in_thread(self._loop, self.aget_tuple(config))

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        async def collect() -> Sequence[CheckpointTuple]:
            return [found async for found in self.alist(config, filter=filter, before=before, limit=limit)]

        yield from wait_in_thread(self._loop, collect())

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        return wait_in_thread(self._loop, self.aput(config, checkpoint, metadata, new_versions))

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        wait_in_thread(self._loop, self.aput_writes(config, writes, task_id, task_path))

    def delete_thread(self, thread_id: str) -> None:
        wait_in_thread(self._loop, self.adelete_thread(thread_id))

    def get_delta_channel_history(self, *, config: RunnableConfig, channels: Sequence[str]) -> Mapping[str, Any]:
        return wait_in_thread(self._loop, self.aget_delta_channel_history(config=config, channels=channels))
