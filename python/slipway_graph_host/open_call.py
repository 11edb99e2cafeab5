"""A call to the server that is not yet answered."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, Callable
from typing import Any

from .exchange import Post
from .failures import RemoteError
from .json_text import dumps, loads

# Credit is returned in amounts large enough for a frame.
CREDIT_AT = 64 * 1024

OnData = Callable[[str, bytes], None]


class OpenCall:
    def __init__(self, call_id: int, post: Post, on_data: OnData | None, data: AsyncIterable[bytes] | None) -> None:
        self.id = call_id
        self.answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._post = post
        self._on_data = on_data
        self._consumed = 0
        self._allowed = 0
        self._pulled = asyncio.Event()
        self._sending = asyncio.ensure_future(self._send_input(data)) if data else None

    def data(self, name: str, body: bytes) -> None:
        if self._on_data:
            self._on_data(name, body)
        else:
            self.consume(len(body))

    def consume(self, count: int) -> None:
        """Returns credit for consumed output, so that the server can send more."""
        self._consumed += count
        if self._consumed >= CREDIT_AT and not self.answer.done():
            self._post(b'{"credit":%d,"bytes":%d}' % (self.id, self._consumed), b"")
            self._consumed = 0

    def cancel(self, reason: str) -> None:
        self._post(b'{"cancel":%d}' % self.id, dumps({"reason": reason}))

    def succeed(self, body: bytes) -> None:
        if not self.answer.done():
            self.answer.set_result(loads(body) if body else None)
        self._stop()

    def refuse(self, body: bytes) -> None:
        self.fail(RemoteError(loads(body)))

    def fail(self, error: Exception) -> None:
        if not self.answer.done():
            self.answer.set_exception(error)
        self._stop()

    def pulled(self, count: int) -> None:
        self._allowed += count
        self._pulled.set()

    def _stop(self) -> None:
        if self._sending:
            self._sending.cancel()

    async def _send_input(self, data: AsyncIterable[bytes]) -> None:
        try:
            await self._until_pulled()
            async for piece in data:
                self._post(b'{"send":%d}' % self.id, piece)
                self._allowed -= len(piece)
                await self._until_pulled()
            self._post(b'{"end":%d}' % self.id, b"")
        except Exception as error:
            self.cancel(type(error).__name__)

    async def _until_pulled(self) -> None:
        while self._allowed <= 0:
            self._pulled.clear()
            await self._pulled.wait()
