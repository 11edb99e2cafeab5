"""A WebSocket of the project's application."""

from __future__ import annotations

from .asgi import Message, wire_headers
from .exchange import Exchange
from .json_text import dumps

# As in RFC 6455.
TEXT, BINARY, CLOSE = 1, 2, 8
# Close codes: none was given, and the connection ended without a close frame.
_NO_CODE, _CUT_OFF = 1005, 1006


class WebSocket:
    """Converts messages between the protocol and ASGI."""

    def __init__(self, exchange: Exchange) -> None:
        self.is_closed = False
        self._exchange = exchange
        self._pieces = exchange.read()
        self._is_connected = False

    async def receive(self) -> Message:
        if not self._is_connected:
            self._is_connected = True
            return {"type": "websocket.connect"}
        async for piece in self._pieces:
            kind, body = piece[0], piece[1:]
            if kind == TEXT:
                return {"type": "websocket.receive", "text": body.decode()}
            if kind == BINARY:
                return {"type": "websocket.receive", "bytes": body}
            self.is_closed = True
            code = int.from_bytes(body[:2], "big") if body else _NO_CODE
            return {"type": "websocket.disconnect", "code": code, "reason": body[2:].decode(errors="replace")}
        self.is_closed = True
        return {"type": "websocket.disconnect", "code": _CUT_OFF, "reason": ""}

    async def send(self, message: Message) -> None:
        if self.is_closed:
            return
        if message["type"] == "websocket.accept":
            headers = wire_headers(message.get("headers") or [])
            await self._exchange.write("accept", dumps({"protocol": message.get("subprotocol"), "headers": headers}))
        elif message["type"] == "websocket.send":
            text = message.get("text")
            if text is None:
                await self._exchange.write("binary", bytes(message["bytes"]))
            else:
                await self._exchange.write("text", text.encode())
        elif message["type"] == "websocket.close":
            self.is_closed = True
            code, reason = message.get("code") or 1000, message.get("reason") or ""
            await self._exchange.write("close", dumps({"code": code, "reason": reason}))
