"""The project's own HTTP application: `http.app`."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from .acting import Acting, acting_as
from .app_routes import Gate, app_matches, is_starlette
from .asgi import App, Message, Receive, http_scope, wire_headers
from .channel import Channel
from .exchange import Exchange
from .failures import InvalidProject
from .http_request import HOOKS, PASSED_ON, Hooks, set_user
from .json_text import dumps
from .lifespan import Lifespan
from .project import Project

Params = dict[str, Any]
log = logging.getLogger("http.app")

# Time an application gets to finish after its client disconnected.
_ABANDONED_SECONDS = 5


class HttpApp:
    def __init__(self, app: Any) -> None:
        self._app: App = app
        self._is_starlette = is_starlette(app)
        self._watches = self._is_starlette and bool(app.user_middleware)
        self.lifespan = Lifespan(app)
        self._tasks: set[asyncio.Task[None]] = set()
        if self._is_starlette:
            gate = Gate.as_middleware(app)
            # Innermost: after the project's middleware and before its routes.
            app.user_middleware.append(gate)

    def match(self, method: str, path: str) -> dict[str, bool]:
        scope = http_scope(method, path, [])
        return {
            "owns": self._is_starlette and app_matches(self._app, scope, exactly=True),
            "watches": self._watches,
        }

    async def handle(self, channel: Channel, params: Params, exchange: Exchange) -> None:
        """Answers a request. Raises Refused if the server refused the request's user."""
        user = params.get("user")
        hooks = Hooks(exchange, watch=bool(params.get("watch")))
        if params.get("admit"):
            hooks.admit = lambda: channel.call("admit", {"call": exchange.id})
        scope = http_scope(params["method"], params["url"], params["headers"])
        scope["state"] = dict(self.lifespan.state)
        scope[HOOKS] = hooks
        if user:
            set_user(scope, user)
        answer = _Answer(exchange, hooks, passes_404_on=not self._is_starlette)
        with acting_as(Acting(exchange.id, user)):
            task = asyncio.get_running_loop().create_task(self._call(scope, hooks.receive, answer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

        def abandon() -> None:
            hooks.disconnected.set()
            channel.loop.call_later(_ABANDONED_SECONDS, task.cancel)

        exchange.on_cancel = abandon
        # Background tasks run after the response.
        ended = asyncio.get_running_loop().create_task(answer.ended.wait())
        await asyncio.wait([task, ended], return_when=asyncio.FIRST_COMPLETED)
        ended.cancel()
        hooks.disconnected.set()
        if hooks.refused:
            raise hooks.refused

    async def _call(self, scope: dict[str, Any], receive: Receive, answer: _Answer) -> None:
        try:
            await self._app(scope, receive, answer.send)
        except Exception as error:
            if not scope[HOOKS].refused:
                log.exception("%s %s failed", scope["method"], scope["path"], exc_info=error)
        if not answer.is_started and not scope[HOOKS].refused:
            await answer.fail()


class _Answer:
    """Sends the application's response."""

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
                await self._piece("body", bytes(message["body"]))
            if not message.get("more_body"):
                self.ended.set()

    async def fail(self) -> None:
        await self._start(500, [["content-type", "text/plain; charset=utf-8"]])
        await self._piece("body", b"Internal Server Error")

    async def _start(self, status: int, headers: list[list[str]]) -> None:
        if self.is_started:
            return
        self.is_started = True
        is_marked = any(name.lower() == PASSED_ON for name, _ in headers)
        if not is_marked and not (status == 404 and self._passes_404_on):
            await self._piece("head", dumps({"status": status, "headers": headers}))
            return
        self._dropped = True
        own = [
            [name, value]
            for name, value in headers
            if name.lower() != PASSED_ON and not name.lower().startswith("content-")
        ]
        body = self._hooks.left_body
        head = {"passed_on": True, "headers": own, **({} if body is None else {"body": True})}
        await self._piece("head", dumps(head))
        if body:
            await self._piece("body", body)

    async def _piece(self, name: str, body: bytes) -> None:
        pressed = self._exchange.send(name, body)
        if pressed:
            await pressed


def load_app(project: Project) -> HttpApp | None:
    return project.part("http.app", _http_app)


def _http_app(exported: object, reference: str) -> HttpApp:
    if not callable(exported):
        raise InvalidProject(f"{reference} is a {type(exported).__name__}, not an ASGI application")
    return HttpApp(exported)
