"""Waiting for the loop from the threads of synchronous code."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def wait_in_thread(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, T]) -> T:
    """Waits for the loop from another thread. Raises RuntimeError in the loop itself, which would never end."""
    try:
        running = asyncio.get_running_loop()
    except RuntimeError:
        running = None
    if running is loop:
        work.close()
        raise RuntimeError(
            "A synchronous call was made in an async function, where it would block the server;"
            " use the async method instead, for example await store.aget(...)"
        )
    return asyncio.run_coroutine_threadsafe(work, loop).result()
