"""The store at `store.path`, which replaces the server's."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    SearchOp,
)

from .factories import made_by
from .failures import InvalidProject
from .project import Project

Params = dict[str, Any]


async def load_store(project: Project, ends: AsyncExitStack) -> BaseStore | None:
    """Loads a store, a function that returns one, or a context manager, which exits when `ends` closes."""
    path = project.section("store").get("path")
    if path is None:
        return None
    found: Any = project.load("store.path", path)
    made = found() if callable(found) and not isinstance(found, BaseStore) else found
    store = await ends.enter_async_context(made_by(made))
    with project.blaming("store.path"):
        if not isinstance(store, BaseStore):
            raise InvalidProject(f"{path} gives a {type(store).__name__}, not a BaseStore")
    return store


async def run_operations(store: BaseStore, operations: list[Params]) -> list[Any]:
    ops = [_op(operation) for operation in operations]
    # Within one batch, a store may read before it writes.
    batches = [[op] for op in ops] if any(isinstance(op, PutOp) for op in ops) else [ops]
    return [_wire_result(result) for batch in batches for result in await store.abatch(batch)]


def _op(operation: Params) -> Op:
    action = operation["action"]
    if action == "get":
        return GetOp(tuple(operation["namespace"]), operation["key"])
    if action == "delete":
        return PutOp(tuple(operation["namespace"]), operation["key"], None)
    if action == "put":
        return PutOp(
            tuple(operation["namespace"]),
            operation["key"],
            operation["value"],
            operation.get("index"),
            operation.get("ttl"),
        )
    if action == "search":
        return SearchOp(
            tuple(operation["namespace_prefix"]),
            operation.get("filter"),
            operation.get("limit", 10),
            operation.get("offset", 0),
            operation.get("query"),
        )
    matches = tuple(MatchCondition(match["type"], tuple(match["path"])) for match in operation.get("matches") or [])
    return ListNamespacesOp(
        matches or None, operation.get("max_depth"), operation.get("limit", 100), operation.get("offset", 0)
    )


def _wire_result(result: Any) -> Any:
    if isinstance(result, Item):
        fields = {
            "namespace": list(result.namespace),
            "key": result.key,
            "value": result.value,
            "created_at": result.created_at.isoformat(timespec="microseconds"),
            "updated_at": result.updated_at.isoformat(timespec="microseconds"),
        }
        return {**fields, "score": result.score} if hasattr(result, "score") else fields
    if isinstance(result, list):
        return [list(entry) if isinstance(entry, tuple) else _wire_result(entry) for entry in result]
    return None
