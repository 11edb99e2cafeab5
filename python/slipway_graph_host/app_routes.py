"""Routes of a Starlette or FastAPI application, and the gate in front of them."""

from __future__ import annotations

from typing import Any

from .asgi import App, Receive, Scope, Send
from .http_request import HOOKS, Hooks


def is_starlette(app: object) -> bool:
    return all(hasattr(app, name) for name in ("user_middleware", "router", "routes"))


def app_matches(app: Any, scope: Scope, *, exactly: bool) -> bool:
    """Whether a route has this path and, with `exactly`, this method."""
    # Starlette's Match: NONE, PARTIAL (another method), FULL.
    least = 2 if exactly else 1
    return any(route.matches(dict(scope))[0].value >= least for route in app.router.routes)


class Gate:
    """The innermost middleware: passes on requests without a route, and authenticates others."""

    def __init__(self, app: App, owner: Any) -> None:
        self._app = app
        self._owner = owner

    @classmethod
    def as_middleware(cls, owner: Any) -> Any:
        from starlette.middleware import Middleware

        return Middleware(cls, owner=owner)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        hooks: Hooks | None = scope.get(HOOKS)
        if hooks is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            admitted = hooks.admit and app_matches(self._owner, scope, exactly=False)
            await (hooks.let_in(self._app, scope, receive, send) if admitted else self._app(scope, receive, send))
        elif hooks.watch or not app_matches(self._owner, scope, exactly=False):
            await hooks.pass_on(receive, send)
        elif hooks.admit:
            await hooks.let_in(self._app, scope, receive, send)
        else:
            await self._app(scope, receive, send)
