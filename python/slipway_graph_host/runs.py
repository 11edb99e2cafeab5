"""One attempt at a run: executes the graph and sends its events."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from typing import Any

from langgraph.store.base import BaseStore

from .acting import Acting, acting_as
from .channel import Channel
from .checkpointer import HostCheckpointer
from .engine_input import engine_input, graph_context, run_config
from .exchange import Exchange
from .failures import Cancelled
from .graphs import LoadedGraph
from .node_threads import RunningThreads, running_threads
from .store import HostStore
from .stream_events import stream_events
from .thread_state import run_summary
from .tracing import traced

Params = dict[str, Any]
log = logging.getLogger("slipway")


class Run:
    def __init__(
        self, channel: Channel, graph: LoadedGraph, store: BaseStore, params: Params, exchange: Exchange
    ) -> None:
        self._graph = graph
        self._params = params
        self._exchange = exchange
        self._threads = RunningThreads()
        self._store = store
        self._lost: BaseException | None = None
        self._work: asyncio.Task[Params] | None = None
        self._stopped = asyncio.get_running_loop().create_future()
        names = ("graph_id", "assistant_id", "run_id")
        place = (params["thread_id"], "")
        self._checkpointer = HostCheckpointer(
            channel,
            exchange.id,
            run_id=params["run_id"],
            metadata={name: params[name] for name in names if params.get(name)},
            on_failure=self._stop,
            deferred=bool(params.get("takes_units")) and params.get("durability") != "sync",
            start=(place, params["checkpoint"]) if "checkpoint" in params else None,
        )

    async def execute(self) -> Params:
        """Raises what the graph raises, the server's error on a write, or Cancelled."""
        user = self._params.get("user")
        with acting_as(Acting(self._exchange.id, user)):
            work = self._work = asyncio.get_running_loop().create_task(self._drive())
        self._exchange.on_cancel = self._cancel
        if self._exchange.is_cancelled:
            self._cancel()
        # The engine waits for nodes that ignore their cancellation.
        await asyncio.wait([work, self._stopped], return_when=asyncio.FIRST_COMPLETED)
        if self._stopped.done():
            left = await self._has_left(work)
            await self._store_left()
            if not left:
                text = "run %s: a node continued after its run was stopped; its writes have no effect"
                log.warning(text, self._params["run_id"])
            if self._lost and not self._exchange.is_cancelled:
                raise self._lost
            raise Cancelled(self._exchange.reason or "", left=left)
        if work.cancelled():
            await self._store_left()
            raise RuntimeError("the graph has cancelled its own run")
        if work.exception():
            await self._store_left()
        return work.result()

    async def _store_left(self) -> None:
        """Stores the remaining checkpoints, because the server reads the run's last state."""
        with contextlib.suppress(Exception):
            await self._checkpointer.drain()

    def _cancel(self) -> None:
        if isinstance(self._store, HostStore):
            self._store.stopped = True
        self._end_work()

    def _stop(self, error: BaseException) -> None:
        """Stops the run, as the engine notices a failed write only when it awaits its writes, perhaps at the end."""
        self._lost = error
        self._end_work()

    def _end_work(self) -> None:
        if self._work and not self._stopped.done():
            self._stopped.set_result(None)
            self._work.cancel()

    async def _drive(self) -> Params:
        running_threads.set(self._threads)
        params = self._params
        config = run_config(params)
        context = params["config"].get("context")
        opened = self._graph.open(
            config,
            store=self._store,
            checkpointer=self._checkpointer,
            access="threads.create_run",
            context=context,
        )
        async with opened as graph:
            given = await engine_input(params, config, self._checkpointer)
            options: Params = {
                "subgraphs": bool(params.get("subgraphs")),
                "interrupt_before": params.get("interrupt_before"),
                "interrupt_after": params.get("interrupt_after"),
                "durability": params.get("durability"),
                "context": graph_context(graph, context),
            }
            exchange = self._exchange
            modes = params.get("stream_mode") or ["values"]
            with traced(config):
                async for name, text in stream_events(graph, given, config, modes, options):
                    pressed = exchange.send(name, text)
                    if pressed:
                        await pressed
            point = {"thread_id": config["configurable"].get("thread_id"), "checkpoint_ns": ""}
            found = run_summary(await graph.aget_state({"configurable": point}), graph.output_channels)
            units = await self._checkpointer.take()
            return {**found, "units": units} if units else found

    async def _has_left(self, work: asyncio.Task[Params]) -> bool:
        """Waits for nodes that run in threads or ignore their cancellation."""
        limit = float(self._params.get("leave_ms") or 0) / 1000
        end = time.monotonic() + limit
        work.add_done_callback(_ignore_outcome)
        _, pending = await asyncio.wait([work], timeout=limit)
        idle = await self._threads.left(max(0.0, end - time.monotonic()))
        return idle and not pending


def _ignore_outcome(work: asyncio.Task[Params]) -> None:
    with contextlib.suppress(asyncio.CancelledError):
        work.exception()
