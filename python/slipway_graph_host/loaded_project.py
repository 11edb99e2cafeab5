"""All parts of a project that the server may use, loaded once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Any

from langgraph.store.base import BaseStore

from .auth import ProjectAuth, load_auth
from .embeddings import Embedder, load_embedder
from .encryption import ProjectEncryption, load_encryption
from .engine_version import check_engine
from .failures import InvalidProject
from .graphs import LoadedGraph, load_graph
from .http_app import HttpApp, load_app
from .project import Project
from .project_store import load_store

Params = dict[str, Any]


class LoadedProject:
    def __init__(self) -> None:
        self.graphs: dict[str, LoadedGraph] = {}
        self.auth: ProjectAuth | None = None
        self.encryption: ProjectEncryption | None = None
        self.embedder: Embedder | None = None
        self.store: BaseStore | None = None
        self.app: HttpApp | None = None
        self._project: Project | None = None
        self._ends = AsyncExitStack()

    async def load(self, params: Params, store: BaseStore) -> None:
        """Imports in threads, because it takes time. Raises one InvalidProject with a line for each problem."""
        project = Project(Path(params["dir"]), params.get("file") or "langgraph.json", params["config"])
        check_engine()
        project.enter()
        self._project = project
        problems: list[str] = []

        async def attempt(part: Callable[[], Awaitable[None]]) -> None:
            try:
                await part()
            except InvalidProject as problem:
                problems.append(str(problem))

        for graph_id in project.section("graphs"):
            await attempt(partial(self._load_graph, project, graph_id, store))
        for part in (self._load_auth, self._load_encryption, self._load_embeddings, self._load_store, self._load_app):
            await attempt(partial(part, project))
        if problems:
            raise InvalidProject("\n".join(problems))

    def description(self) -> Params:
        assert self._project
        return {
            "language": "python",
            "graphs": {graph_id: _describe(graph) for graph_id, graph in self.graphs.items()},
            "auth": {"events": self.auth.events} if self.auth else None,
            "http": self.app is not None,
            "websockets": self.app is not None,
            "encryption": self.encryption.description() if self.encryption else None,
            "embed": self.embedder is not None,
            "store": self.store is not None,
            "warnings": self._project.warnings,
        }

    async def close(self) -> None:
        if self.app:
            await self.app.lifespan.end()
        await self._ends.aclose()

    async def _load_graph(self, project: Project, graph_id: str, store: BaseStore) -> None:
        entry = project.section("graphs").get(graph_id)
        self.graphs[graph_id] = await load_graph(project, graph_id, entry, store)

    async def _load_auth(self, project: Project) -> None:
        self.auth = await asyncio.to_thread(load_auth, project)

    async def _load_encryption(self, project: Project) -> None:
        self.encryption = await asyncio.to_thread(load_encryption, project)

    async def _load_embeddings(self, project: Project) -> None:
        self.embedder = await asyncio.to_thread(load_embedder, project)

    async def _load_store(self, project: Project) -> None:
        path = project.section("store").get("path")
        if path is not None:
            await asyncio.to_thread(project.load, "store.path", path)
            self.store = await load_store(project, self._ends)

    async def _load_app(self, project: Project) -> None:
        self.app = await asyncio.to_thread(load_app, project)
        if self.app:
            with project.blaming("http.app"):
                await self.app.lifespan.start()


def _describe(graph: LoadedGraph) -> Params:
    description = {"description": graph.description} if graph.description else {}
    return {**description, "is_factory": graph.is_factory, "schemas": graph.schemas}
