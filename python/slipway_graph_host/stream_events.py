"""Converts the engine's chunks to events of the wire, as JSON text."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterator
from contextlib import aclosing
from typing import Any

from langchain_core.messages import BaseMessage, BaseMessageChunk, message_chunk_to_message
from langchain_core.runnables import RunnableConfig
from langgraph.pregel import Pregel

from .engine_version import engine_version
from .json_text import wire_json
from .public_chunk import public_chunk, public_record
from .tool_failures import ToolFailures
from .transformed_stream import has_transformers, transformed_chunks

Event = tuple[str, bytes]


# Later engines also send interrupts with the values.
_INTERRUPTS_IN_UPDATES_ONLY = engine_version() <= (1, 0, 3)


async def stream_events(
    graph: Pregel[Any, Any, Any, Any],
    graph_input: object,
    config: RunnableConfig,
    modes: Collection[str],
    options: dict[str, Any],
) -> AsyncIterator[Event]:
    """Executes the graph and yields the events of the requested modes."""
    tools = ToolFailures()
    if "tools" in modes:
        config["callbacks"] = [tools]
    render = ChunkRenderer(modes, tools)
    subgraphs = bool(options.get("subgraphs"))
    engine_modes = _engine_modes(modes)
    if "events" in modes:
        run_id = str(config.get("run_id"))
        records: Any = graph.astream_events(graph_input, config, version="v2", stream_mode=engine_modes, **options)
        async with aclosing(records) as stream:
            async for record in stream:
                if "langsmith:hidden" in (record.get("tags") or ()):
                    continue
                if record["event"] != "on_chain_stream" or record["run_id"] != run_id:
                    yield "events", wire_json(public_record(record, tools))
                    continue
                for event in render.events(record["data"]["chunk"], subgraphs):
                    yield event
        return
    chunks: Any
    # Only runs of the event protocol request tools.
    if "tools" in modes and has_transformers(graph):
        chunks, subgraphs = transformed_chunks(graph, graph_input, config, engine_modes, options), True
    else:
        chunks = graph.astream(
            graph_input, config, stream_mode=engine_modes, output_keys=graph.output_channels, **options
        )
    async with aclosing(chunks) as stream:
        async for chunk in stream:
            for event in render.events(chunk, subgraphs):
                yield event


def _engine_modes(modes: Collection[str]) -> list[Any]:
    asked = {"messages" if mode == "messages-tuple" else mode for mode in modes if mode != "events"}
    if _INTERRUPTS_IN_UPDATES_ONLY and asked:
        asked.add("updates")
    # The engine requires a mode; unrequested ones aren't rendered.
    return sorted(asked) or ["values"]


class ChunkRenderer:
    """Renders chunks as events; those of a subgraph have its namespace in the event name."""

    def __init__(self, modes: Collection[str], tools: ToolFailures) -> None:
        self._modes = frozenset(modes)
        self._tools = tools
        self._messages: dict[str, Any] = {}
        # All tokens of a message come with the same metadata object.
        self._metadata: object = None
        self._metadata_json = b"null"

    def events(self, chunk: Any, with_namespace: bool) -> Iterator[Event]:
        namespace, mode, data = chunk if with_namespace else ((), *chunk)
        suffix = "|" + "|".join(namespace) if namespace else ""
        if mode == "messages" and isinstance(data, dict):
            yield mode + suffix, wire_json(data)
        elif mode == "messages":
            yield from self._message_events(data, suffix)
        elif mode in self._modes:
            yield mode + suffix, wire_json(public_chunk(mode, data, self._tools))
        elif mode == "updates" and _has_interrupts(data):
            yield "values" + suffix, wire_json(data)

    def _message_events(self, data: Any, suffix: str) -> Iterator[Event]:
        message, metadata = data
        if "messages-tuple" in self._modes:
            if metadata is not self._metadata:
                self._metadata, self._metadata_json = metadata, wire_json(metadata)
            yield f"messages{suffix}", b"[" + wire_json(message) + b"," + self._metadata_json + b"]"
        if "messages" in self._modes and isinstance(message, BaseMessage) and message.id is not None:
            yield from self._whole_message(message, message.id, metadata, suffix)

    def _whole_message(self, message: BaseMessage, key: str, metadata: object, suffix: str) -> Iterator[Event]:
        """Renders each chunk as the whole message so far (contract §6.3)."""
        before = self._messages.get(key)
        is_chunk = isinstance(message, BaseMessageChunk)
        if before is None:
            yield f"messages/metadata{suffix}", wire_json({key: {"metadata": metadata}})
        now = before + message if before is not None and is_chunk else message
        self._messages[key] = now
        kind = "partial" if is_chunk else "complete"
        yield f"messages/{kind}{suffix}", wire_json([message_chunk_to_message(now)])


def _has_interrupts(data: object) -> bool:
    return isinstance(data, dict) and bool(data.get("__interrupt__"))
