"""JSON schemas of a graph (contract §3.2); null if unknown."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from langchain_core.utils.pydantic import create_model
from langgraph.pregel import Pregel
from pydantic import TypeAdapter

NO_SCHEMAS: dict[str, Any] = dict.fromkeys(
    ("input_schema", "output_schema", "state_schema", "config_schema", "context_schema")
)
_OURS = ("__pregel_checkpointer", "__pregel_store", "checkpoint_id", "checkpoint_ns", "thread_id")


def graph_schemas(graph: Any) -> dict[str, Any]:
    readers: dict[str, Callable[[], Any]] = {
        "input_schema": graph.get_input_jsonschema,
        "output_schema": graph.get_output_jsonschema,
        "state_schema": lambda: _state_schema(graph),
        "config_schema": lambda: _config_schema(graph),
        "context_schema": graph.get_context_jsonschema,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {name: _read(reader) for name, reader in readers.items()}


def _read(reader: Callable[[], Any]) -> Any:
    try:
        return reader()
    except Exception:
        return None


def _state_schema(graph: Pregel[Any, Any, Any, Any]) -> Any:
    fields: dict[str, Any] = {}
    for name in graph.stream_channels_list:
        channel: Any = graph.channels[name]
        kind = channel.UpdateType
        try:
            create_model(name, __root__=(kind, None)).model_json_schema()
            fields[name] = (kind, None)
        except Exception:
            fields[name] = (Any, None)
    return create_model(graph.get_name("State"), **fields).model_json_schema()


def _config_schema(graph: Pregel[Any, Any, Any, Any]) -> Any:
    """Schema of the `configurable` part only."""
    fields = getattr(graph.config_schema(), "model_fields", {})
    if "configurable" not in fields:
        return {}
    annotation: Any = fields["configurable"].annotation
    schema = TypeAdapter(annotation).json_schema()
    for name in _OURS:
        schema.get("properties", {}).pop(name, None)
    kind = getattr(graph, "config_type", None)
    if isinstance(kind, type):
        schema["title"] = kind.__name__
    return schema
