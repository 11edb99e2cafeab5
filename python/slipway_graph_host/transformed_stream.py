"""Runs of graphs that were compiled with stream transformers, which see and add events of the protocol only."""

from __future__ import annotations

import warnings
from collections.abc import AsyncGenerator, Callable, Collection
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.pregel import Pregel

AnyGraph = Pregel[Any, Any, Any, Any]
# A graph's namespace, a stream mode, and its data.
Chunk = tuple[tuple[str, ...], str, Any]

_UNCHANGED = {"values", "updates", "checkpoints", "tools"}
_OURS = {"lifecycle", "input", "tasks"}
# Channel for the events of tasks, which the engine does not pass on.
_TASKS = "slipway_tasks"


def has_transformers(graph: AnyGraph) -> bool:
    return bool(getattr(graph, "stream_transformers", ()))


async def transformed_chunks(
    graph: AnyGraph, graph_input: object, config: RunnableConfig, modes: Collection[str], options: dict[str, Any]
) -> AsyncGenerator[Chunk, None]:
    """Runs a graph through its transformers. Messages already have the protocol's form."""
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
    """Makes the engine stream these modes, whatever the project's transformers need."""
    from langgraph.stream import StreamChannel, StreamTransformer

    class Watching(StreamTransformer):
        required_stream_modes = modes
        before_builtins = True

        def init(self) -> dict[str, Any]:
            self._tasks: StreamChannel[Any] = StreamChannel(_TASKS)
            return {_TASKS: self._tasks}

        def process(self, event: Any) -> bool:
            # A subgraph's own instance gets its events a second time.
            if event["method"] == "tasks" and not self.scope:
                self._tasks.push({key: event["params"][key] for key in ("namespace", "data")})
            return True

    return Watching


def _chunk(method: str, params: dict[str, Any]) -> Chunk | None:
    namespace, data = tuple(params["namespace"]), params["data"]
    if method in _UNCHANGED:
        return namespace, method, data
    if method in _OURS:
        return None
    if method == f"custom:{_TASKS}":
        return tuple(data["namespace"]), "tasks", data["data"]
    if method == "custom":
        return namespace, method, data
    if method == "messages":
        # A whole message is in the state that follows.
        return (namespace, method, data[0]) if isinstance(data[0], dict) else None
    return namespace, "custom", {"name": method.removeprefix("custom:"), "payload": data}
