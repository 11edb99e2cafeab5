"""Lets langgraph_sdk's `get_client()` without a URL reach the server's API, through the connection."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from collections.abc import AsyncIterator, Coroutine
from types import ModuleType
from typing import Any, TypeVar

from .acting import acting
from .channel import Channel
from .json_text import loads
from .open_call import OpenCall

T = TypeVar("T")

# Headers of the client's connection, which is not the server's.
_OWN = ("host", "connection")


def bind_sdk_client(channel: Channel) -> None:
    """Provides the module that the SDK imports from the server it runs in. Call before loading the project."""
    if importlib.util.find_spec("langgraph_api") is None:
        package = ModuleType("langgraph_api")
        package.__path__ = []
        sys.modules["langgraph_api"] = package
    server = ModuleType("langgraph_api.server")
    server.app = channel  # type: ignore[attr-defined]
    transport = ModuleType("langgraph_api.asgi_transport")
    # Created on first use, because httpx is slow to import.
    transport.__getattr__ = lambda name: _transport_class(channel, name)  # type: ignore[method-assign]
    sys.modules["langgraph_api.server"] = server
    sys.modules["langgraph_api.asgi_transport"] = transport


def _transport_class(channel: Channel, name: str) -> Any:
    if name != "ASGITransport":
        raise AttributeError(name)
    import httpx

    class ApiTransport(httpx.AsyncBaseTransport):
        """Sends requests of the project's code, as the user it runs for."""

        def __init__(self, app: object = None, **_options: object) -> None:
            self.app = app

        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            body = await request.aread()
            answer = await _in_loop(channel, _ApiAnswer.to(channel, request, body))
            return httpx.Response(answer.status, headers=answer.headers, stream=_Body(channel, answer), request=request)

    class _Body(httpx.AsyncByteStream):
        def __init__(self, channel: Channel, answer: _ApiAnswer) -> None:
            self._channel = channel
            self._answer = answer

        async def __aiter__(self) -> AsyncIterator[bytes]:
            while (piece := await _in_loop(self._channel, self._answer.next())) is not None:
                yield piece

        async def aclose(self) -> None:
            await _in_loop(self._channel, self._answer.close())

    return ApiTransport


class _ApiAnswer:
    """A response with a streamed body; use only in the channel's event loop."""

    def __init__(self) -> None:
        self.status = 500
        self.headers: list[tuple[str, str]] = []
        self._pieces: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._began: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._call: OpenCall | None = None

    @classmethod
    async def to(cls, channel: Channel, request: Any, body: bytes) -> _ApiAnswer:
        answer = cls()
        who = acting()
        params = {
            "scope": who.scope,
            "method": request.method,
            # Only the path and query matter.
            "url": str(request.url),
            "headers": [[name, value] for name, value in request.headers.multi_items() if name not in _OWN],
            "user": None if "authorization" in request.headers else who.user,
        }
        call = channel.open("fetch", params, on_data=answer._take, data=_pieces(body))
        answer._call = call
        call.answer.add_done_callback(answer._end)
        await answer._began
        return answer

    async def next(self) -> bytes | None:
        piece = await self._pieces.get()
        if piece is None:
            assert self._call
            await self._call.answer
        elif self._call:
            self._call.consume(len(piece))
        return piece

    async def close(self) -> None:
        if self._call and not self._call.answer.done():
            self._call.cancel("closed")

    def _take(self, name: str, body: bytes) -> None:
        if name == "body":
            self._pieces.put_nowait(body)
            return
        head = loads(body)
        self.status = head["status"]
        self.headers = [(name, value) for name, value in head["headers"]]
        self._began.set_result(None)

    def _end(self, call: asyncio.Future[Any]) -> None:
        error = None if call.cancelled() else call.exception()
        if not self._began.done():
            self._began.set_exception(error or ConnectionError("the server gave no answer"))
        self._pieces.put_nowait(None)


async def _pieces(body: bytes) -> AsyncIterator[bytes]:
    if body:
        yield body


async def _in_loop(channel: Channel, work: Coroutine[Any, Any, T]) -> T:
    """Runs work in the channel's event loop, as a node in a thread may have its own."""
    if asyncio.get_running_loop() is channel.loop:
        return await work
    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, channel.loop))
