"""Draws graphs."""

from __future__ import annotations

from typing import Any

from langgraph.pregel import Pregel

from .schemas import graph_schemas


async def draw(graph: Pregel[Any, Any, Any, Any], xray: bool | int) -> dict[str, Any]:
    drawing = (await graph.aget_graph(xray=xray)).to_json()
    for node in drawing.get("nodes", []):
        if isinstance(node.get("data"), dict):
            node["data"].pop("id", None)
    return drawing


async def subgraphs(graph: Pregel[Any, Any, Any, Any], namespace: str | None, recurse: bool) -> dict[str, Any]:
    """Subgraph schemas by namespace. Ignores task ids in the namespace."""
    wanted = None
    if namespace is not None:
        wanted = "|".join(part.split(":")[0] for part in namespace.split("|"))
    found: dict[str, Any] = {}
    # The engine's filter matches any name with this prefix.
    async for path, subgraph in graph.aget_subgraphs(recurse=recurse or wanted is not None):
        if wanted is None:
            matches = recurse or "|" not in path
        else:
            matches = path == wanted or (recurse and path.startswith(f"{wanted}|"))
        if matches:
            found[path] = graph_schemas(subgraph)
    return found
