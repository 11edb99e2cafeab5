"""Sends the writes of one checkpointer in order, one call at a time."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any

from .checkpoint_records import Place

Unit = dict[str, Any]

# Approximate limit per call.
_MOST_CHARS = 16 * 1024 * 1024
_MOST_UNITS = 500
# Limits of what `take` returns.
_MOST_LEFT_ROWS = 200
_MOST_LEFT_CHARS = 1024 * 1024


class WriteBatch:
    """
    Writes that arrive during a call go into the next one. The first failure fails all later writes, so that no
    checkpoint is stored without its predecessors.
    """

    def __init__(
        self,
        write: Callable[[list[Unit]], Awaitable[None]],
        on_failure: Callable[[BaseException], None] | None = None,
        *,
        wait: float = 0,
    ) -> None:
        """The first write waits `wait` seconds for what follows it."""
        self._write = write
        self._wait = wait
        self._hurry = asyncio.Event()
        self._on_failure = on_failure
        self._waiting: list[tuple[Unit, asyncio.Future[None]]] = []
        self._flushing: asyncio.Task[None] | None = None
        self._failure: BaseException | None = None
        self._held: dict[Place, asyncio.Future[None]] = {}

    def add(self, unit: Unit) -> asyncio.Future[None]:
        """Settles when the unit is committed or has failed."""
        committed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        # The engine may not await it before the run ends.
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
        Waits for the commit of a checkpoint, or until its graph moves on. The engine starts a graph's next put only
        when the previous one has settled, so waiting for each commit would cost every step a round trip. Commits keep
        their order, so the last one implies the others.
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
        """Waits until everything added has been sent. Raises if a write failed."""
        if self._flushing:
            self._hurry.set()
        while self._flushing:
            await asyncio.wait([self._flushing])
        if self._failure:
            raise self._failure

    async def take(self) -> list[Unit]:
        """Returns unsent units for the caller to store, or sends them if there are many. Raises if a write failed."""
        if self._failure:
            raise self._failure
        units = [unit for unit, _ in self._waiting]
        rows = sum(1 + len(unit["values"]) + len(unit["writes"]) for unit in units)
        if rows > _MOST_LEFT_ROWS or sum(map(_chars, units)) > _MOST_LEFT_CHARS:
            await self.drain()
            return []
        waiting, self._waiting = self._waiting, []
        for _, committed in waiting:
            if not committed.done():
                committed.set_result(None)
        return units

    async def _flush(self) -> None:
        try:
            if self._wait and not self._hurry.is_set():
                with contextlib.suppress(TimeoutError, asyncio.TimeoutError):
                    await asyncio.wait_for(self._hurry.wait(), self._wait)
                self._hurry.set()
            while self._waiting and not self._failure:
                # Wait one turn of the event loop, so that writes prompted by the last commit join this call.
                await asyncio.sleep(0)
                await self._send(self._take())
        finally:
            self._flushing = None

    def _take(self) -> list[tuple[Unit, asyncio.Future[None]]]:
        chars = 0
        for count, (unit, _) in enumerate(self._waiting, 1):
            chars += _chars(unit)
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
        # Stop the run before the engine notices the failure.
        if self._on_failure:
            self._on_failure(error)
        waiting, self._waiting = self._waiting, []
        for _, committed in (*taken, *waiting):
            if not committed.done():
                committed.set_exception(error)


def _chars(unit: Unit) -> int:
    return sum(len(row["value"]) for row in (*unit["values"], *unit["writes"]))


def _retrieved(future: asyncio.Future[None]) -> None:
    if not future.cancelled():
        future.exception()
