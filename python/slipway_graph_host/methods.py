"""The methods that the server may call."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from langgraph.store.base import BaseStore

from .acting import Acting, acting_as
from .channel import Channel, FinishedJson, Handler
from .drawing import draw, subgraphs
from .engine_input import runnable_config
from .exchange import Exchange
from .failures import unreadable
from .graphs import AnyGraph
from .json_text import wire_json
from .loaded_project import LoadedProject
from .project_store import run_operations
from .runs import Run
from .states import States
from .store import HostStore

Params = dict[str, Any]
T = TypeVar("T")


class Host:
    """One project."""

    def __init__(self) -> None:
        self._project = LoadedProject()
        self._connected: Channel | None = None

    def connect(self) -> Channel:
        self._connected = Channel(self._handlers())
        return self._connected

    async def close(self) -> None:
        await self._project.close()

    def _handlers(self) -> dict[str, Handler]:
        states = States(lambda: self._channel, self._project.graphs, self._store)
        return {
            "load": self._load,
            "run": self._run,
            "state.summary": states.summary,
            "state.get": states.get,
            "state.history": states.history,
            "state.update": states.update,
            "graph.draw": self._draw,
            "graph.schemas": self._schemas,
            "graph.subgraphs": self._subgraphs,
            "auth.authenticate": self._authenticate,
            "auth.authorize": self._authorize,
            "encryption.apply": self._encrypt,
            "encryption.context": self._encryption_context,
            "embed": self._embed,
            "store.batch": self._store_batch,
            "http.match": self._http_match,
            "http": self._http,
            "websocket": self._web_socket,
            "ui.bundle": lambda _params, _exchange: {},
            # Only JavaScript clients need the server's address.
            "serving": lambda _params, _exchange: None,
        }

    @property
    def _channel(self) -> Channel:
        return _there(self._connected, "connection")

    def _store(self, exchange: Exchange) -> BaseStore:
        """The store for graphs: the project's own, or the server's on behalf of a call."""
        return self._project.store or HostStore(self._channel, exchange.id)

    async def _load(self, params: Params, exchange: Exchange) -> FinishedJson:
        with acting_as(Acting(exchange.id)):
            await self._project.load(params, HostStore(self._channel, exchange.id))
        # Schemas may contain defaults of any type.
        return FinishedJson(wire_json(self._project.description()))

    async def _run(self, params: Params, exchange: Exchange) -> Params:
        graph = self._project.graphs[params["graph_id"]]
        return await Run(self._channel, graph, self._store(exchange), params, exchange).execute()

    async def _draw(self, params: Params, exchange: Exchange) -> FinishedJson:
        async with self._inspected(params, exchange) as graph:
            return FinishedJson(wire_json(await draw(graph, params.get("xray") or False)))

    def _schemas(self, params: Params, _exchange: Exchange) -> FinishedJson:
        described = self._project.description()
        return FinishedJson(wire_json(described["graphs"][params["graph_id"]]["schemas"]))

    async def _subgraphs(self, params: Params, exchange: Exchange) -> FinishedJson:
        async with self._inspected(params, exchange) as graph:
            found = await subgraphs(graph, params.get("namespace"), bool(params.get("recurse")))
            return FinishedJson(wire_json(found))

    @asynccontextmanager
    async def _inspected(self, params: Params, exchange: Exchange) -> AsyncIterator[AnyGraph]:
        store = self._store(exchange)
        config = runnable_config(params.get("config"))
        graph = self._project.graphs[params["graph_id"]]
        with acting_as(Acting(exchange.id)):
            try:
                async with graph.open(config, store=store, access="assistants.read") as opened:
                    yield opened
            except ValueError as error:
                raise unreadable(params["graph_id"], error) from error

    async def _authenticate(self, params: Params, exchange: Exchange) -> FinishedJson:
        auth = _there(self._project.auth, "auth")
        with acting_as(Acting(exchange.id)):
            user = await auth.authenticate(params["method"], params["url"], params["headers"])
        return FinishedJson(wire_json(user))

    async def _authorize(self, params: Params, exchange: Exchange) -> FinishedJson:
        auth = _there(self._project.auth, "auth")
        with acting_as(Acting(exchange.id, params.get("user"))):
            return FinishedJson(wire_json(await auth.authorize(params)))

    async def _encrypt(self, params: Params, _exchange: Exchange) -> FinishedJson:
        return FinishedJson(wire_json(await _there(self._project.encryption, "encryption").apply(params)))

    async def _encryption_context(self, params: Params, _exchange: Exchange) -> FinishedJson:
        return FinishedJson(wire_json(await _there(self._project.encryption, "encryption").context(params)))

    async def _embed(self, params: Params, _exchange: Exchange) -> FinishedJson:
        embedder = _there(self._project.embedder, "store.index.embed")
        vectors = await embedder.embed(params["texts"], is_query=params.get("kind") == "query")
        return FinishedJson(wire_json({"vectors": vectors}))

    async def _store_batch(self, params: Params, _exchange: Exchange) -> FinishedJson:
        store = _there(self._project.store, "store.path")
        return FinishedJson(wire_json(await run_operations(store, params["operations"])))

    def _http_match(self, params: Params, _exchange: Exchange) -> Mapping[str, bool | None]:
        app = self._project.app
        if not app:
            return {"owns": False, "watches": False}
        return app.match(params["method"], params["path"], web_socket=bool(params.get("websocket")))

    async def _http(self, params: Params, exchange: Exchange) -> None:
        await _there(self._project.app, "http.app").handle(self._channel, params, exchange)

    async def _web_socket(self, params: Params, exchange: Exchange) -> None:
        await _there(self._project.app, "http.app").connect(self._channel, params, exchange)


def _there(part: T | None, name: str) -> T:
    if part is None:
        raise RuntimeError(f"The project has no {name}")
    return part
