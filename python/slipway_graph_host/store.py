"""The server's store, as graphs see it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, cast

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)

from .channel import Channel
from .json_text import loads, wire_json
from .threads import wait_in_thread


class RunStoppedError(RuntimeError):
    """A node continued after its run was cancelled; its writes have no effect."""


class HostStore(BaseStore):
    """Create one per call of the server; it acts on that call's behalf."""

    supports_ttl = True
    __slots__ = ("_channel", "_scope", "stopped")

    def __init__(self, channel: Channel, scope: int) -> None:
        self._channel = channel
        self._scope = scope
        self.stopped = False

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        asked = list(ops)
        if self.stopped:
            raise RunStoppedError("the run was cancelled; its store takes no more calls")
        operations = [_operation(op) for op in asked]
        if not operations:
            return []
        results = await self._channel.call("store.batch", {"scope": self._scope, "operations": operations})
        return [_result(op, result) for op, result in zip(asked, results, strict=True)]

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        return wait_in_thread(self._channel.loop, self.abatch(ops))

    def model_dump(self) -> dict[str, str]:
        """The store is part of configurations that are logged and traced."""
        return {"store": "[SlipwayStore]"}


def _operation(op: Op) -> dict[str, Any]:
    if isinstance(op, GetOp):
        return {"action": "get", "namespace": op.namespace, "key": op.key}
    if isinstance(op, SearchOp):
        search = {
            "action": "search",
            "namespace_prefix": op.namespace_prefix,
            "filter": op.filter,
            "query": op.query,
            "limit": op.limit,
            "offset": op.offset,
        }
        return _without_none(search)
    if isinstance(op, ListNamespacesOp):
        matches = [{"type": match.match_type, "path": match.path} for match in op.match_conditions or ()]
        listing = {
            "action": "list_namespaces",
            "matches": matches,
            "max_depth": op.max_depth,
            "limit": op.limit,
            "offset": op.offset,
        }
        return _without_none(listing)
    assert isinstance(op, PutOp)
    if op.value is None:
        return {"action": "delete", "namespace": op.namespace, "key": op.key}
    if not isinstance(op.value, dict):
        raise TypeError("The value of a store item is a dict")
    put = {
        "action": "put",
        "namespace": op.namespace,
        "key": op.key,
        "value": loads(wire_json(op.value)),
        "index": op.index,
        "ttl": op.ttl,
    }
    return _without_none(put)


def _without_none(fields: dict[str, Any]) -> dict[str, Any]:
    """Removes fields that are None, which means the default."""
    return {key: value for key, value in fields.items() if value is not None}


def _result(op: Op, result: Any) -> Result:
    if isinstance(op, GetOp):
        return Item(**_item_fields(result)) if result else None
    if isinstance(op, SearchOp):
        return [SearchItem(**_item_fields(found), score=found.get("score")) for found in result]
    if isinstance(op, ListNamespacesOp):
        return [tuple(namespace) for namespace in result]
    return None


def _item_fields(item: dict[str, Any]) -> dict[str, Any]:
    return {
        "namespace": cast("tuple[str, ...]", tuple(item["namespace"])),
        "key": item["key"],
        "value": item["value"],
        "created_at": _time(item["created_at"]),
        "updated_at": _time(item["updated_at"]),
    }


def _time(text: str) -> datetime:
    # Python 3.10 does not support Z.
    return datetime.fromisoformat(text.replace("Z", "+00:00"))
