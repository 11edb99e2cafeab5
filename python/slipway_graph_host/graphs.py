"""The project's graphs; any number of runs can use them at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import var_child_runnable_config
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import StateGraph
from langgraph.pregel import Pregel
from langgraph.store.base import BaseStore

from .factories import AccessContext, Factory, made_by, server_runtime
from .failures import InvalidProject
from .schemas import NO_SCHEMAS, graph_schemas
from .thrown import describe_thrown
from .users import as_user

if TYPE_CHECKING:
    from .project import Project

AnyGraph: TypeAlias = "Pregel[Any, Any, Any, Any]"
# The engine's name for a graph compiled without one.
_UNNAMED = "LangGraph"


class LoadedGraph:
    def __init__(self, graph_id: str, source: AnyGraph | Factory, description: str | None) -> None:
        self.graph_id = graph_id
        self.source = source
        self.description = description
        self.schemas: dict[str, Any] = NO_SCHEMAS

    @property
    def is_factory(self) -> bool:
        return isinstance(self.source, Factory)

    @asynccontextmanager
    async def open(
        self,
        config: RunnableConfig,
        *,
        store: BaseStore,
        checkpointer: BaseCheckpointSaver[Any] | None = None,
        access: AccessContext,
        context: object | None = None,
    ) -> AsyncIterator[AnyGraph]:
        """Yields a copy of the graph with the server's checkpointer and store. Raises what a factory raises."""
        if not isinstance(self.source, Factory):
            yield self._copy(self.source, checkpointer, store)
            return
        user = as_user((config.get("configurable") or {}).get("langgraph_auth_user"))
        runtime = server_runtime(access, store, user, context)
        token = var_child_runnable_config.set(config)
        try:
            made = self.source.call(config, runtime)
        finally:
            var_child_runnable_config.reset(token)
        async with made_by(made) as value:
            yield self._copy(as_graph(value), checkpointer, store)

    def _copy(self, graph: AnyGraph, checkpointer: BaseCheckpointSaver[Any] | None, store: BaseStore) -> AnyGraph:
        update: dict[str, Any] = {"checkpointer": checkpointer, "store": store}
        if graph.name == _UNNAMED:
            update["name"] = self.graph_id
        return graph.copy(update)


async def load_graph(project: Project, graph_id: str, entry: object, store: BaseStore) -> LoadedGraph:
    """Loads one entry of `graphs`. Raises InvalidProject with one line."""
    fields: dict[str, Any] = entry if isinstance(entry, dict) else {"path": entry}
    reference = str(fields.get("path", ""))
    key = f"graphs.{graph_id}"
    exported = await asyncio.to_thread(project.load, key, reference)
    with project.blaming(key):
        if callable(exported) and not isinstance(exported, Pregel):
            source: AnyGraph | Factory = Factory(exported)
        else:
            source = as_graph(exported, reference)
    graph = LoadedGraph(graph_id, source, fields.get("description"))
    await _read_schemas(project, graph, store)
    return graph


async def _read_schemas(project: Project, graph: LoadedGraph, store: BaseStore) -> None:
    """A factory may need values that only a run has; then the graph is served without schemas."""
    try:
        async with graph.open({"configurable": {}}, store=store, access="assistants.read") as sample:
            graph.schemas = graph_schemas(sample)
    except InvalidProject as problem:
        with project.blaming(f"graphs.{graph.graph_id}"):
            raise problem
    except Exception as error:
        why = describe_thrown(error)
        project.warn(f"graph '{graph.graph_id}': its factory failed without a run, so it has no schemas: {why}")
    source = graph.source
    if isinstance(source, Pregel):
        own = [
            name
            for name, value, kind in (
                ("checkpointer", source.checkpointer, BaseCheckpointSaver),
                ("store", source.store, BaseStore),
            )
            if isinstance(value, kind)
        ]
        if own:
            project.warn(
                f"graph '{graph.graph_id}' was compiled with its own {' and '.join(own)}; the server's is used instead"
            )


def as_graph(value: object, place: str = "the factory") -> AnyGraph:
    """Compiles a project's export or a factory's result if needed. Raises InvalidProject."""
    if isinstance(value, Pregel):
        return value
    bound = getattr(value, "bound", None)
    if isinstance(bound, Pregel):
        return bound.with_config(getattr(value, "config", None))
    if not isinstance(value, StateGraph):
        kind = type(value).__name__
        raise InvalidProject(
            f"{place} gives a {kind}, not a compiled graph, a graph builder or a function that returns one"
        )
    try:
        return value.compile()
    except Exception as error:
        raise InvalidProject(f"{place} does not compile: {describe_thrown(error)}") from error
