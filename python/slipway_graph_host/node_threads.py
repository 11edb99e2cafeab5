"""Threads of synchronous nodes, tracked per run."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

# Threads are started on demand; a node occupies one while it waits for a model.
MOST_THREADS = 256


class RunningThreads:
    """A run's calls that are executing in threads. Python can't stop a thread, so they are waited for."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._count = 0
        self._lock = threading.Lock()
        self._idle: asyncio.Future[None] | None = None

    def add(self, work: Future[Any]) -> None:
        with self._lock:
            self._count += 1
        work.add_done_callback(self._remove)

    async def left(self, seconds: float) -> bool:
        """Waits until no thread executes; false on a timeout."""
        with self._lock:
            if self._count == 0:
                return True
            self._idle = self._loop.create_future()
        done, _ = await asyncio.wait([self._idle], timeout=seconds)
        return bool(done)

    def _remove(self, _work: Future[Any]) -> None:
        with self._lock:
            self._count -= 1
            idle = self._idle if self._count == 0 else None
        if idle:
            self._loop.call_soon_threadsafe(_settle, idle)


def _settle(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


running_threads: ContextVar[RunningThreads | None] = ContextVar("slipway_running_threads", default=None)


class NodeExecutor(ThreadPoolExecutor):
    """The event loop's executor, in which the engine runs synchronous nodes."""

    def __init__(self) -> None:
        super().__init__(max_workers=MOST_THREADS, thread_name_prefix="node")

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        work = super().submit(fn, *args, **kwargs)
        running = running_threads.get()
        if running is not None:
            running.add(work)
        return work
