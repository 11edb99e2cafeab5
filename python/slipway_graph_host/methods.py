"""The methods that the server may call."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .channel import Channel, Handler
from .drawing import draw, subgraphs
from .engine_input import runnable_config
from .exchange import Exchange
from .failures import InvalidProject
from .graphs import LoadedGraph, load_graph
from .project import Project
from .runs import Run
from .states import States
from .store import HostStore

Params = dict[str, Any]


class Host:
    """One project, loaded once."""

    def __init__(self) -> None:
        self.channel: Channel | None = None
        self.graphs: dict[str, LoadedGraph] = {}

    def handlers(self) -> dict[str, Handler]:
        states = States(lambda: self._channel, self.graphs)
        return {
            "load": self.load,
            "run": self.run,
            "state.summary": states.summary,
            "state.get": states.get,
            "state.history": states.history,
            "state.update": states.update,
            "graph.draw": self.draw,
            "graph.subgraphs": self.subgraphs,
        }

    @property
    def _channel(self) -> Channel:
        assert self.channel
        return self.channel

    async def load(self, params: Params, exchange: Exchange) -> Params:
        project = Project(Path(params["dir"]), params.get("file") or "langgraph.json", params["config"])
        project.extend_path()
        entries = project.section("graphs")
        wanted = params.get("graphs") or list(entries)
        problems: list[str] = []
        for graph_id in wanted:
            try:
                store = HostStore(self._channel, exchange.id)
                self.graphs[graph_id] = await load_graph(project, graph_id, entries[graph_id], store)
            except InvalidProject as problem:
                problems.append(str(problem))
        if problems:
            raise InvalidProject("\n".join(problems))
        return {
            "language": "python",
            "graphs": {
                graph_id: {
                    **({"description": graph.description} if graph.description else {}),
                    "is_factory": graph.is_factory,
                    "schemas": graph.schemas,
                }
                for graph_id, graph in self.graphs.items()
            },
            "auth": None,
            "http": False,
            "encryption": None,
            "embed": False,
            "store": False,
            "warnings": project.warnings,
        }

    async def run(self, params: Params, exchange: Exchange) -> Params:
        return await Run(self._channel, self.graphs[params["graph_id"]], params, exchange).execute()

    async def draw(self, params: Params, exchange: Exchange) -> Params:
        store = HostStore(self._channel, exchange.id)
        config = runnable_config(params.get("config"))
        loaded = self.graphs[params["graph_id"]]
        async with loaded.open(config, store=store, access="assistants.read") as graph:
            return await draw(graph, params.get("xray") or False)

    async def subgraphs(self, params: Params, exchange: Exchange) -> Params:
        store = HostStore(self._channel, exchange.id)
        config = runnable_config(params.get("config"))
        loaded = self.graphs[params["graph_id"]]
        async with loaded.open(config, store=store, access="assistants.read") as graph:
            return await subgraphs(graph, params.get("namespace"), bool(params.get("recurse")))
