"""The lifespan of the project's application."""

from __future__ import annotations

import asyncio
from typing import Any

from .asgi import App, Message
from .failures import InvalidProject


class Lifespan:
    """Starts before the first request and ends with the host."""

    def __init__(self, app: App) -> None:
        self._app = app
        self.state: dict[str, Any] = {}
        self._asked: asyncio.Queue[Message] = asyncio.Queue()
        self._started: asyncio.Event = asyncio.Event()
        self._ended: asyncio.Event = asyncio.Event()
        self._failure: str | None = None
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Raises InvalidProject if the application fails to start."""
        self._task = asyncio.get_running_loop().create_task(self._run())
        self._asked.put_nowait({"type": "lifespan.startup"})
        await self._started.wait()
        if self._failure is not None:
            raise InvalidProject(f"its lifespan failed: {self._failure}")

    async def end(self) -> None:
        if self._task is None or self._task.done():
            return
        self._asked.put_nowait({"type": "lifespan.shutdown"})
        await self._ended.wait()

    async def _run(self) -> None:
        scope = {"type": "lifespan", "asgi": {"version": "3.0", "spec_version": "2.0"}, "state": self.state}
        try:
            await self._app(scope, self._asked.get, self._send)
        except Exception:
            # Applications without a lifespan reject the scope.
            pass
        finally:
            self._started.set()
            self._ended.set()

    async def _send(self, message: Message) -> None:
        if message["type"] == "lifespan.startup.failed":
            # The last line of a traceback has the error.
            lines = str(message.get("message") or "no reason given").strip().splitlines()
            self._failure = lines[-1]
        if message["type"].startswith("lifespan.startup."):
            self._started.set()
        if message["type"].startswith("lifespan.shutdown."):
            self._ended.set()
