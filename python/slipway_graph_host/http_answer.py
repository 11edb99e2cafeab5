"""A response of the project's application."""

from __future__ import annotations

import asyncio

from .asgi import Message, wire_headers
from .exchange import Exchange
from .http_request import PASSED_ON, Hooks
from .json_text import dumps


class Answer:
    """Sends the response to the server in chunks."""

    def __init__(self, exchange: Exchange, hooks: Hooks, *, passes_404_on: bool) -> None:
        self._exchange = exchange
        self._hooks = hooks
        self._passes_404_on = passes_404_on
        self._dropped = False
        self.is_started = False
        self.ended = asyncio.Event()

    async def send(self, message: Message) -> None:
        if self._hooks.refused:
            return
        if message["type"] == "http.response.start":
            await self._start(message["status"], wire_headers(message.get("headers") or []))
        elif message["type"] == "http.response.body":
            if message.get("body") and not self._dropped:
                await self._exchange.write("body", bytes(message["body"]))
            if not message.get("more_body"):
                self.ended.set()

    async def fail(self) -> None:
        await self._start(500, [["content-type", "text/plain; charset=utf-8"]])
        await self._exchange.write("body", b"Internal Server Error")

    async def _start(self, status: int, headers: list[list[str]]) -> None:
        if self.is_started:
            return
        self.is_started = True
        is_marked = any(name.lower() == PASSED_ON for name, _ in headers)
        if not is_marked and not (status == 404 and self._passes_404_on):
            await self._exchange.write("head", dumps({"status": status, "headers": headers}))
            return
        self._dropped = True
        own = [
            [name, value]
            for name, value in headers
            if name.lower() != PASSED_ON and not name.lower().startswith("content-")
        ]
        body = self._hooks.left_body
        head = {"passed_on": True, "headers": own, **({} if body is None else {"body": True})}
        await self._exchange.write("head", dumps(head))
        if body:
            await self._exchange.write("body", body)
