"""Reads, lists and updates states of threads."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.store.base import BaseStore
from langgraph.types import StateUpdate

from .acting import Acting, acting_as
from .channel import Channel, FinishedJson
from .checkpointer import HostCheckpointer
from .engine_input import runnable_config, to_command
from .exchange import Exchange
from .factories import AccessContext
from .failures import unreadable
from .graphs import AnyGraph, LoadedGraph
from .json_text import dumps
from .thread_state import has_checkpoint, point_of, summary, thread_state

Params = dict[str, Any]
log = logging.getLogger("slipway")


class States:
    def __init__(
        self, channel: Callable[[], Channel], graphs: dict[str, LoadedGraph], store: Callable[[Exchange], BaseStore]
    ) -> None:
        self._channel = channel
        self._graphs = graphs
        self._store = store

    async def summary(self, params: Params, exchange: Exchange) -> Params:
        async with self._open(params, exchange, "threads.read") as (graph, config):
            return summary(await graph.aget_state(_at(config, None)))

    async def get(self, params: Params, exchange: Exchange) -> Params | None:
        async with self._open(params, exchange, "threads.read") as (graph, config):
            at = _at(config, params.get("point"))
            snapshot = await graph.aget_state(at, subgraphs=bool(params.get("subgraphs")))
            return thread_state(snapshot) if has_checkpoint(snapshot) else None

    async def history(self, params: Params, exchange: Exchange) -> FinishedJson:
        before = params.get("before")
        async with self._open(params, exchange, "threads.read") as (graph, config):
            history = graph.aget_state_history(
                _at(config, params.get("point")),
                filter=params.get("filter") or None,
                before=_at(config, before) if before else None,
                limit=params.get("limit"),
            )
            states = [dumps(thread_state(snapshot)) async for snapshot in history]
        return FinishedJson(b"[" + b",".join(states) + b"]")

    async def update(self, params: Params, exchange: Exchange) -> Params:
        steps = [[_update(update) for update in superstep] for superstep in _supersteps(params)]
        async with self._open(params, exchange, "threads.update") as (graph, config):
            configurable = {**config["configurable"], **_point_fields(params.get("point"))}
            at = cast("RunnableConfig", {**config, "configurable": configurable})
            written = await graph.abulk_update_state(at, steps)
            snapshot = await graph.aget_state(_at(config, None))
            return {
                "configurable": point_of(written),
                "state": thread_state(snapshot),
                "summary": summary(snapshot),
            }

    @asynccontextmanager
    async def _open(
        self, params: Params, exchange: Exchange, access: AccessContext
    ) -> AsyncIterator[tuple[AnyGraph, RunnableConfig]]:
        graph_id = params["graph_id"]
        config = runnable_config(params.get("config"))
        user = config["configurable"].get("langgraph_auth_user")
        checkpointer = HostCheckpointer(self._channel(), exchange.id, metadata={"graph_id": graph_id})
        store = self._store(exchange)
        loaded = self._graphs[graph_id]
        with acting_as(Acting(exchange.id, user.dict() if user else None)):
            async with AsyncExitStack() as stack:
                opening = loaded.open(config, store=store, checkpointer=checkpointer, access=access)
                try:
                    graph = await stack.enter_async_context(opening)
                except Exception as error:
                    log.warning("graph '%s' could not be made", graph_id, exc_info=error)
                    raise unreadable(graph_id, error) from error
                try:
                    yield graph, config
                except ValueError as error:
                    raise unreadable(graph_id, error) from error


def _at(config: RunnableConfig, point: Params | None) -> RunnableConfig:
    thread = config["configurable"].get("thread_id")
    return {"configurable": {"thread_id": thread, "checkpoint_ns": "", **_point_fields(point)}}


def _point_fields(point: Params | None) -> Params:
    return {key: value for key, value in (point or {}).items() if value is not None}


def _supersteps(params: Params) -> list[list[Params]]:
    """Each superstep is a list of updates, or an object that contains one."""
    return [step["updates"] if isinstance(step, dict) else step for step in params["supersteps"]]


def _update(update: Params) -> StateUpdate:
    command = update.get("command")
    values = to_command(command) if command else update.get("values")
    return StateUpdate(cast("Any", values), update.get("as_node"))
