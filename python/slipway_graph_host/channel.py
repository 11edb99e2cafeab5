"""The host's end of the connection to the agent server (docs/contracts/graph-host.md)."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import AsyncIterable, Callable, Mapping
from typing import Any, cast

from .exchange import Exchange
from .failures import Cancelled, InvalidProject, Refused, RemoteError, describe_error
from .frames import BadFrame, FrameReader, frame_start
from .json_text import dumps, loads
from .open_call import OnData, OpenCall

Handler = Callable[[dict[str, Any], Exchange], Any]

log = logging.getLogger("slipway")
_ANSWERS = (Cancelled, InvalidProject, Refused, RemoteError)

# Limit of unread output, beyond which the connection is closed.
MOST_UNREAD = 512 * 1024 * 1024


class FinishedJson:
    """JSON text that a handler returns unchanged."""

    __slots__ = ("text",)

    def __init__(self, text: bytes) -> None:
        self.text = text


class Channel(asyncio.Protocol):
    """Not thread-safe: call only from its event loop."""

    def __init__(self, handlers: Mapping[str, Handler]) -> None:
        self.loop = asyncio.get_running_loop()
        self.closed: asyncio.Future[None] = self.loop.create_future()
        self._handlers = handlers
        self._transport: asyncio.Transport | None = None
        self._reader = FrameReader()
        self._calls: dict[int, OpenCall] = {}
        self._exchanges: dict[int, Exchange] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._last_id = 0
        self._unsent: list[bytes] = []

    def open(
        self,
        method: str,
        params: Mapping[str, Any],
        *,
        on_data: OnData | None = None,
        data: AsyncIterable[bytes] | None = None,
    ) -> OpenCall:
        """Calls a method of the server; await the `answer`, which raises RemoteError."""
        self._last_id += 1
        call = OpenCall(self._last_id, self._post, on_data, data)
        if self.closed.done():
            call.fail(RemoteError({"error": "ConnectionLost", "message": "the connection has ended"}))
            return call
        self._calls[call.id] = call
        call.answer.add_done_callback(lambda _: self._calls.pop(call.id, None))
        self._post(dumps({"call": method, "id": call.id}), dumps(params))
        return call

    async def call(self, method: str, params: Mapping[str, Any]) -> Any:
        return await self.open(method, params).answer

    def close(self) -> None:
        if self._transport:
            self._flush()
            self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        try:
            for header, body in self._reader.push(data):
                self._take(header, body)
        except BadFrame as error:
            print(f"graph host: the server sent {error}", flush=True)
            if self._transport:
                self._transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        lost = RemoteError({"error": "ConnectionLost", "message": str(exc or "the connection has ended")})
        for call in list(self._calls.values()):
            call.fail(lost)
        for exchange in list(self._exchanges.values()):
            exchange.cancel("closed")
        if not self.closed.done():
            self.closed.set_result(None)

    def _take(self, header: dict[str, Any], body: bytes) -> None:
        for kind, call_id in header.items():
            if kind == "call":
                self._begin(call_id, int(header["id"]), body)
            elif kind in _OF_OUR_CALLS:
                if call := self._calls.get(call_id):
                    _OF_OUR_CALLS[kind](call, header, body)
            elif kind in _OF_THEIR_CALLS:
                if exchange := self._exchanges.get(call_id):
                    _OF_THEIR_CALLS[kind](exchange, header, body)
            else:
                continue
            return

    def _begin(self, method: str, call_id: int, body: bytes) -> None:
        if method == "ping":
            self._post(b'{"result":%d}' % call_id, b"null")
            return
        exchange = Exchange(call_id, self._post)
        self._exchanges[call_id] = exchange
        task = self.loop.create_task(self._answer(method, exchange, body))
        exchange.on_cancel = task.cancel
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _answer(self, method: str, exchange: Exchange, body: bytes) -> None:
        try:
            handler = self._handlers.get(method)
            if handler is None:
                raise LookupError(f"there is no method {method}")
            result = handler(loads(body) if body else {}, exchange)
            if inspect.isawaitable(result):
                result = await result
            text = result.text if isinstance(result, FinishedJson) else dumps(result)
            self._post(b'{"result":%d}' % exchange.id, text)
        except BaseException as error:
            if isinstance(error, asyncio.CancelledError) and exchange.is_cancelled:
                error = Cancelled(exchange.reason or "")
            if not isinstance(error, _ANSWERS):
                # The caller gets less detail than a developer needs.
                log.warning("%s failed", method, exc_info=error)
            self._post(b'{"error":%d}' % exchange.id, dumps(describe_error(error)))
            if isinstance(error, KeyboardInterrupt | SystemExit):
                raise
        finally:
            self._exchanges.pop(exchange.id, None)
            exchange.close()

    def _post(self, header: bytes, body: bytes) -> None:
        if not self._unsent:
            # Batches what is sent within one turn of the event loop.
            self.loop.call_soon(self._flush)
        self._unsent.append(frame_start(header, len(body)))
        if body:
            self._unsent.append(body)

    def _flush(self) -> None:
        unsent, self._unsent = self._unsent, []
        transport = self._transport
        if not unsent or transport is None or transport.is_closing():
            return
        transport.write(b"".join(unsent))
        if transport.get_write_buffer_size() > MOST_UNREAD:
            transport.abort()


_OF_OUR_CALLS: dict[str, Callable[[OpenCall, dict[str, Any], bytes], None]] = {
    "data": lambda call, header, body: call.data(str(header.get("name")), body),
    "result": lambda call, _, body: call.succeed(body),
    "error": lambda call, _, body: call.refuse(body),
    "pull": lambda call, header, _: call.pulled(int(header["bytes"])),
}
_OF_THEIR_CALLS: dict[str, Callable[[Exchange, dict[str, Any], bytes], None]] = {
    "send": lambda exchange, _, body: exchange.arrived(body),
    "end": lambda exchange, _header, _body: exchange.arrived(None),
    "credit": lambda exchange, header, _: exchange.credited(int(header["bytes"])),
    "cancel": lambda exchange, _, body: exchange.cancel(_reason_of(body)),
}


def _reason_of(body: bytes) -> str:
    reason = loads(body).get("reason") if body else None
    return str(reason or "cancelled")
