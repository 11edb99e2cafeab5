"""A request to the project's application, from its middleware to the server."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from .acting import Acting, acting, acting_as
from .asgi import App, Message, Receive, Scope, Send
from .exchange import Exchange
from .failures import Refused, RemoteError
from .users import as_user

HOOKS = "slipway.hooks"
# Header of a response that passes the request on to the server.
PASSED_ON = "x-slipway-passed-on"


class Hooks:
    def __init__(self, exchange: Exchange, *, watch: bool) -> None:
        self.watch = watch
        self.admit: Callable[[], Awaitable[Any]] | None = None
        # Why the server refused the request; the server sends the response.
        self.refused: Refused | None = None
        # The body as middleware left it; None if untouched.
        self.left_body: bytes | None = None
        self.disconnected = asyncio.Event()
        self._pieces = exchange.read()
        self._kept: list[bytes] = []
        self._is_read = self._is_whole = self._passing = False

    async def receive(self) -> Message:
        """Receives the request's body, which is fetched from the server only when it is read."""
        self._is_read = True
        if self._is_whole:
            if self._passing:
                return _request_message(b"", False)
            await self.disconnected.wait()
            return {"type": "http.disconnect"}
        async for piece in self._pieces:
            if self.watch:
                self._kept.append(piece)
            return _request_message(piece, True)
        self._is_whole = True
        return _request_message(b"", False)

    async def pass_on(self, receive: Receive, send: Send) -> None:
        """Leaves the request to the server's route; middleware can still add headers to the response."""
        if self._is_read:
            self._passing = True
            body = await _read(receive)
            # Middleware that read the whole body without replacing it left it unchanged.
            self.left_body = body or b"".join(self._kept)
        await send({"type": "http.response.start", "status": 200, "headers": [(PASSED_ON.encode(), b"1")]})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def let_in(self, app: App, scope: Scope, receive: Receive, send: Send) -> None:
        """Has the server authenticate the request before the first route."""
        assert self.admit
        try:
            user = await self.admit()
        except RemoteError as error:
            answer = error.answer
            self.refused = Refused(
                int(answer.get("status", 401)), str(answer.get("message", "")), answer.get("headers") or {}
            )
            raise
        if user:
            set_user(scope, user)
        with acting_as(Acting(acting().scope, user)):
            await app(scope, receive, send)


def set_user(scope: Scope, user: dict[str, Any]) -> None:
    scope["user"] = known = as_user(user)
    try:
        from starlette.authentication import AuthCredentials
    except ImportError:
        return
    scope["auth"] = AuthCredentials(known.permissions if known else [])


def _request_message(body: bytes, more: bool) -> Message:
    return {"type": "http.request", "body": body, "more_body": more}


async def _read(receive: Receive) -> bytes:
    pieces: list[bytes] = []
    while True:
        message = await receive()
        if message["type"] != "http.request":
            break
        pieces.append(message.get("body") or b"")
        if not message.get("more_body"):
            break
    return b"".join(pieces)
