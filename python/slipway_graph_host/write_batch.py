"""Writes of one checkpointer, in order and one call at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from .checkpoint_records import Place

Unit = dict[str, Any]

# What one call carries at the most, or little more.
_MOST_CHARS = 16 * 1024 * 1024
_MOST_UNITS = 500


class WriteBatch:
    """
    Whatever comes while a call is under way goes out with the next. The first failure fails everything after it, so
    that no checkpoint is stored that builds on one that is not.
    """

    def __init__(
        self,
        write: Callable[[list[Unit]], Awaitable[None]],
        on_failure: Callable[[BaseException], None] | None = None,
    ) -> None:
        self._write = write
        self._on_failure = on_failure
        self._waiting: list[tuple[Unit, asyncio.Future[None]]] = []
        self._flushing: asyncio.Task[None] | None = None
        self._failure: BaseException | None = None
        self._held: dict[Place, asyncio.Future[None]] = {}

    def add(self, unit: Unit) -> asyncio.Future[None]:
        """Settles when the unit is committed, or failed."""
        committed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        # The engine may not look at it before the run ends.
        committed.add_done_callback(_retrieved)
        if self._failure:
            committed.set_exception(self._failure)
        else:
            self._waiting.append((unit, committed))
            if self._flushing is None:
                self._flushing = asyncio.get_running_loop().create_task(self._flush())
        return committed

    async def hold(self, place: Place, committed: asyncio.Future[None]) -> None:
        """
        Waits for the commit of a checkpoint, or until its graph is seen to have gone on. The engine begins the next
        put of a graph when the one before has settled: waiting for each commit would cost a round trip a step.
        Commits keep their order, so the last one stands for all.
        """
        self.release(place)
        gone_on: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._held[place] = gone_on
        try:
            await asyncio.wait([committed, gone_on], return_when=asyncio.FIRST_COMPLETED)
        finally:
            if self._held.get(place) is gone_on:
                del self._held[place]
        if committed.done():
            committed.result()

    def release(self, place: Place) -> None:
        held = self._held.get(place)
        if held and not held.done():
            held.set_result(None)

    async def drain(self) -> None:
        """Settles when all that was added is out. Raises when a write failed."""
        while self._flushing:
            await asyncio.wait([self._flushing])
        if self._failure:
            raise self._failure

    async def _flush(self) -> None:
        try:
            while self._waiting and not self._failure:
                # One turn of the loop: what the engine does next on hearing of the last commit goes out with this.
                await asyncio.sleep(0)
                await self._send(self._take())
        finally:
            self._flushing = None

    def _take(self) -> list[tuple[Unit, asyncio.Future[None]]]:
        chars = 0
        for count, (unit, _) in enumerate(self._waiting, 1):
            chars += sum(len(row["value"]) for row in (*unit["values"], *unit["writes"]))
            if chars >= _MOST_CHARS or count >= _MOST_UNITS:
                break
        taken, self._waiting = self._waiting[:count], self._waiting[count:]
        return taken

    async def _send(self, taken: list[tuple[Unit, asyncio.Future[None]]]) -> None:
        try:
            await self._write([unit for unit, _ in taken])
        except Exception as error:
            self._fail(error, taken)
        else:
            for _, committed in taken:
                if not committed.done():
                    committed.set_result(None)

    def _fail(self, error: Exception, taken: list[tuple[Unit, asyncio.Future[None]]]) -> None:
        self._failure = error
        # First: stop the run before the engine hears of the failure.
        if self._on_failure:
            self._on_failure(error)
        waiting, self._waiting = self._waiting, []
        for _, committed in (*taken, *waiting):
            if not committed.done():
                committed.set_exception(error)


def _retrieved(future: asyncio.Future[None]) -> None:
    if not future.cancelled():
        future.exception()
