"""The project's own HTTP application: `http.app`."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

from .acting import Acting, acting_as
from .app_routes import Gate, app_matches, is_starlette
from .asgi import App, Receive, Scope, http_scope, web_socket_scope
from .channel import Channel
from .exchange import Exchange
from .failures import InvalidProject
from .http_answer import Answer
from .http_request import HOOKS, Hooks, set_user
from .lifespan import Lifespan
from .project import Project
from .web_socket import WebSocket

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

    def match(self, method: str, path: str, *, web_socket: bool = False) -> dict[str, bool | None]:
        scope = web_socket_scope(path, []) if web_socket else http_scope(method, path, [])
        return {
            # The routes of other applications are unknown until they handle a request.
            "owns": app_matches(self._app, scope, exactly=True) if self._is_starlette else None,
            "watches": self._watches,
        }

    async def handle(self, channel: Channel, params: Params, exchange: Exchange) -> None:
        """Raises Refused where the server has refused the request's user."""
        hooks = _hooks(channel, params, exchange)
        scope = http_scope(params["method"], params["url"], params["headers"])
        answer = Answer(exchange, hooks, passes_404_on=not self._is_starlette)
        task = self._begin(scope, hooks, params, exchange, self._call(scope, hooks.receive, answer))
        # An application continues after its response, with background tasks.
        ended = asyncio.get_running_loop().create_task(answer.ended.wait())
        await asyncio.wait([task, ended], return_when=asyncio.FIRST_COMPLETED)
        ended.cancel()
        hooks.disconnected.set()
        if hooks.refused:
            raise hooks.refused

    async def connect(self, channel: Channel, params: Params, exchange: Exchange) -> None:
        """Serves a WebSocket until both sides have closed it. Raises Refused as `handle` does."""
        hooks = _hooks(channel, params, exchange)
        scope = web_socket_scope(params["url"], params["headers"])
        socket = WebSocket(exchange)
        task = self._begin(scope, hooks, params, exchange, self._connect(scope, socket))
        await asyncio.wait([task])
        if hooks.refused:
            raise hooks.refused
        error = None if task.cancelled() else task.exception()
        if error:
            log.error("WebSocket %s failed", scope["path"], exc_info=error)
            raise error

    def _begin(
        self, scope: Scope, hooks: Hooks, params: Params, exchange: Exchange, call: Coroutine[Any, Any, None]
    ) -> asyncio.Task[None]:
        """Calls the application on behalf of the request's user."""
        loop = asyncio.get_running_loop()
        scope["state"] = dict(self.lifespan.state)
        scope[HOOKS] = hooks
        user = params.get("user")
        if user:
            set_user(scope, user)
        with acting_as(Acting(exchange.id, user)):
            task = loop.create_task(call)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

        def abandon() -> None:
            hooks.disconnected.set()
            loop.call_later(_ABANDONED_SECONDS, task.cancel)

        exchange.on_cancel = abandon
        return task

    async def _connect(self, scope: Scope, socket: WebSocket) -> None:
        await self._app(scope, socket.receive, socket.send)

    async def _call(self, scope: dict[str, Any], receive: Receive, answer: Answer) -> None:
        try:
            await self._app(scope, receive, answer.send)
        except Exception as error:
            if not scope[HOOKS].refused:
                log.exception("%s %s failed", scope["method"], scope["path"], exc_info=error)
        if not answer.is_started and not scope[HOOKS].refused:
            await answer.fail()


def _hooks(channel: Channel, params: Params, exchange: Exchange) -> Hooks:
    hooks = Hooks(exchange, watch=bool(params.get("watch")))
    if params.get("admit"):
        hooks.admit = lambda: channel.call("admit", {"call": exchange.id})
    return hooks


def load_app(project: Project) -> HttpApp | None:
    return project.part("http.app", _http_app)


def _http_app(exported: object, reference: str) -> HttpApp:
    if not callable(exported):
        raise InvalidProject(f"{reference} is a {type(exported).__name__}, not an ASGI application")
    return HttpApp(exported)
