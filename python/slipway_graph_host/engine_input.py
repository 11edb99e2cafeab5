"""The engine's input and configuration for a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast
from uuid import UUID

from langchain_core.runnables import RunnableConfig
from langgraph.pregel import Pregel
from langgraph.types import Command, Send

from .checkpointer import HostCheckpointer
from .users import as_user


def run_config(params: Mapping[str, Any]) -> RunnableConfig:
    config = runnable_config(params["config"])
    config["run_id"] = UUID(params["run_id"])
    configurable = config["configurable"]
    for key in ("run_id", "thread_id", "graph_id", "assistant_id"):
        if params.get(key) is not None:
            configurable.setdefault(key, params[key])
            config["metadata"].setdefault(key, params[key])
    return config


def runnable_config(config: Mapping[str, Any] | None) -> RunnableConfig:
    """Converts a configuration from its wire form to the engine's."""
    fields = config or {}
    configurable = {**(fields.get("configurable") or {})}
    user = as_user(configurable.get("langgraph_auth_user"))
    if user is not None:
        configurable["langgraph_auth_user"] = user
    built: dict[str, Any] = {"configurable": configurable, "metadata": dict(fields.get("metadata") or {})}
    for key in ("tags", "recursion_limit", "max_concurrency", "run_name"):
        if fields.get(key):
            built[key] = fields[key]
    return cast("RunnableConfig", built)


def graph_context(graph: Pregel[Any, Any, Any, Any], context: Any) -> Any:
    """The caller's context, limited to the keys of the graph's context schema."""
    schema = getattr(graph, "context_schema", None)
    if context is not None and not isinstance(context, dict):
        return context
    if schema is None:
        return context or None
    if context:
        known = _properties(graph)
        return {key: value for key, value in context.items() if key in known} if known else context
    # Without a context, use the schema's defaults if all fields have one.
    try:
        return schema() if isinstance(schema, type) else None
    except Exception:
        return None


def _properties(graph: Pregel[Any, Any, Any, Any]) -> Mapping[str, Any]:
    try:
        return (graph.get_context_jsonschema() or {}).get("properties") or {}
    except Exception:
        return {}


async def engine_input(params: Mapping[str, Any], config: RunnableConfig, checkpointer: HostCheckpointer) -> object:
    """
    The caller's input or command; None once this run has a checkpoint, so that the engine continues from there without
    repeating finished work.
    """
    if params.get("resume"):
        thread = config["configurable"].get("thread_id")
        latest = await checkpointer.aget_tuple({"configurable": {"thread_id": thread, "checkpoint_ns": ""}})
        if latest and latest.metadata.get("run_id") == params["run_id"]:
            for key in ("checkpoint_id", "checkpoint_map"):
                config["configurable"].pop(key, None)
            return None
    command = params.get("command")
    return to_command(command) if command else params.get("input")


def to_command(command: Mapping[str, Any]) -> Command[Any]:
    """Converts a command from its wire form to the engine's Command (contract §5.2)."""
    goto, update = command.get("goto"), command.get("update")
    steps = goto if isinstance(goto, list) else [] if goto is None else [goto]
    if isinstance(update, list) and all(_is_pair(item) for item in update):
        update = [tuple(item) for item in update]
    return Command(
        update=update,
        resume=command.get("resume"),
        # None rather than an empty list, as the engine's events show it.
        goto=cast("Any", [_step(step) for step in steps] or None),
    )


def _step(step: str | Mapping[str, Any]) -> str | Send:
    return step if isinstance(step, str) else Send(step["node"], step.get("input"))


def _is_pair(item: object) -> bool:
    return isinstance(item, list) and len(item) == 2 and isinstance(item[0], str)
