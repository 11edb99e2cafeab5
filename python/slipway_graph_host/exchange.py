"""A call as seen by the callee: its output, its input, and whether it was cancelled."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import lru_cache

from .json_text import dumps

# Limit of unacknowledged output, in bytes.
WINDOW = 1024 * 1024

Post = Callable[[bytes, bytes], None]


@lru_cache(maxsize=1024)
def _name_json(name: str) -> bytes:
    return dumps(name)


class Exchange:
    def __init__(self, call_id: int, post: Post) -> None:
        self.id = call_id
        self.reason: str | None = None
        # By default cancels the handler's task; handlers may replace it.
        self.on_cancel: Callable[[], object] | None = None
        self._post = post
        self._credit = WINDOW
        self._credited: asyncio.Event | None = None
        self._input: deque[bytes] = deque()
        self._input_ended = False
        self._input_arrived = asyncio.Event()
        self._data_start = b'{"data":%d,"name":' % call_id

    @property
    def is_cancelled(self) -> bool:
        return self.reason is not None

    def send(self, name: str, body: bytes) -> Awaitable[None] | None:
        """Sends a chunk of output. Await the result, if any, before sending more."""
        if self.is_cancelled:
            return None
        self._post(self._data_start + _name_json(name) + b"}", body)
        self._credit -= len(body)
        return None if self._credit > 0 else self._until_credited()

    async def write(self, name: str, body: bytes) -> None:
        """Sends a chunk of output, then waits until more may be sent."""
        pressed = self.send(name, body)
        if pressed:
            await pressed

    async def read(self) -> AsyncIterator[bytes]:
        """Yields the call's input, requested chunk by chunk. Ends early if the call is cancelled."""
        asked = False
        while not self.is_cancelled:
            if self._input:
                asked = False
                yield self._input.popleft()
            elif self._input_ended:
                return
            else:
                if not asked:
                    self._post(b'{"pull":%d,"bytes":%d}' % (self.id, WINDOW), b"")
                asked = True
                self._input_arrived.clear()
                await self._input_arrived.wait()

    def arrived(self, piece: bytes | None) -> None:
        if piece is None:
            self._input_ended = True
        else:
            self._input.append(piece)
        self._input_arrived.set()

    def credited(self, count: int) -> None:
        self._credit += count
        if self._credit > 0 and self._credited:
            self._credited.set()

    def cancel(self, reason: str) -> None:
        if self.is_cancelled:
            return
        self.reason = reason
        # Wakes waiters, as neither credit nor input will arrive.
        if self._credited:
            self._credited.set()
        self._input_arrived.set()
        if self.on_cancel:
            self.on_cancel()

    def close(self) -> None:
        """From now on drops output, as code may outlive the call."""
        self._post = _drop
        self._credit = WINDOW

    async def _until_credited(self) -> None:
        while self._credit <= 0 and not self.is_cancelled:
            self._credited = asyncio.Event()
            await self._credited.wait()


def _drop(_header: bytes, _body: bytes) -> None:
    return None
