"""Runs of graphs that were compiled with stream transformers, which see and add to the events of the protocol alone."""

from __future__ import annotations

import warnings
from collections.abc import AsyncGenerator, Callable, Collection
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.pregel import Pregel

AnyGraph = Pregel[Any, Any, Any, Any]
# Namespace of a graph, a stream mode, and what it tells.
Chunk = tuple[tuple[str, ...], str, Any]

_AS_THEY_ARE = {"values", "updates", "checkpoints", "tools"}
_TOLD_BY_US = {"lifecycle", "input", "tasks"}
# Carries the events of tasks past the engine, which keeps them to itself.
_TASKS = "slipway_tasks"


def has_transformers(graph: AnyGraph) -> bool:
    return bool(getattr(graph, "stream_transformers", ()))


async def transformed_chunks(
    graph: AnyGraph, graph_input: object, config: RunnableConfig, modes: Collection[str], options: dict[str, Any]
) -> AsyncGenerator[Chunk, None]:
    """Drives a graph through its transformers. Messages already have the form of the protocol."""
    own = {key: value for key, value in options.items() if key != "subgraphs"}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The v3 streaming protocol")
        driven: Any = graph.astream_events(
            graph_input, config, version="v3", transformers=[_watching(tuple(modes))], **own
        )
        events = await driven
    async with events:
        async for event in events:
            chunk = _chunk(event["method"], event["params"])
            if chunk:
                yield chunk


def _watching(modes: tuple[str, ...]) -> Callable[[tuple[str, ...]], Any]:
    """Has the engine tell these modes, whatever the project's transformers need."""
    from langgraph.stream import StreamChannel, StreamTransformer

    class Watching(StreamTransformer):
        required_stream_modes = modes
        before_builtins = True

        def init(self) -> dict[str, Any]:
            self._tasks: StreamChannel[Any] = StreamChannel(_TASKS)
            return {_TASKS: self._tasks}

        def process(self, event: Any) -> bool:
            # Those of a subgraph see its events once more.
            if event["method"] == "tasks" and not self.scope:
                self._tasks.push({key: event["params"][key] for key in ("namespace", "data")})
            return True

    return Watching


def _chunk(method: str, params: dict[str, Any]) -> Chunk | None:
    namespace, data = tuple(params["namespace"]), params["data"]
    if method in _AS_THEY_ARE:
        return namespace, method, data
    if method in _TOLD_BY_US:
        return None
    if method == f"custom:{_TASKS}":
        return tuple(data["namespace"]), "tasks", data["data"]
    if method == "custom":
        return namespace, method, data
    if method == "messages":
        # A whole message is in the state that follows.
        return (namespace, method, data[0]) if isinstance(data[0], dict) else None
    return namespace, "custom", {"name": method.removeprefix("custom:"), "payload": data}
