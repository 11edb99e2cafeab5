"""Loads `store.index.embed`: a function or `Embeddings` of the project, or `provider:model` of LangChain."""

from __future__ import annotations

import logging
import math
import re
import warnings
from typing import Any

from langchain_core.embeddings import Embeddings
from langgraph.store.base.embed import ensure_embeddings

from .failures import InvalidProject, Refused
from .project import Project
from .thrown import describe_thrown

log = logging.getLogger("store")
_PROVIDER = re.compile(r"[\w-]+:.+")


class Embedder:
    def __init__(self, embeddings: Embeddings, dims: int) -> None:
        self._embeddings = embeddings
        self._dims = dims

    async def embed(self, texts: list[str], *, is_query: bool) -> list[Any]:
        """Returns one vector per text. Raises Refused: 503 for temporary failures, 422 for permanent ones."""
        try:
            if is_query:
                vectors: Any = [await self._embeddings.aembed_query(text) for text in texts]
            else:
                vectors = await self._embeddings.aembed_documents(texts)
        except Exception as error:
            log.exception("store.index.embed failed")
            raise Refused(503, "The embedding of the store is not available; try again later") from error
        if len(vectors) != len(texts):
            raise Refused(422, f"store.index.embed returned {len(vectors)} vectors for {len(texts)} texts")
        return [self._checked(vector) for vector in vectors]

    def _checked(self, vector: Any) -> list[float]:
        try:
            components = [float(component) for component in vector]
        except (TypeError, ValueError):
            components = [math.nan]
        if not all(map(math.isfinite, components)):
            raise Refused(422, "store.index.embed returned something that is not a vector of finite numbers")
        if len(components) != self._dims:
            found = f"store.index.embed makes vectors of {len(components)} dimensions"
            raise Refused(422, f"{found}; store.index.dims is {self._dims}")
        return components


def load_embedder(project: Project) -> Embedder | None:
    index = project.section("store").get("index") or {}
    embed = index.get("embed")
    return None if embed is None else Embedder(_load(project, embed), int(index["dims"]))


def _load(project: Project, embed: str) -> Embeddings:
    with project.blaming("store.index.embed"):
        if _PROVIDER.fullmatch(embed) and "." not in embed.split(":")[0]:
            return _of_provider(embed)
    found = project.load("store.index.embed", embed)
    if isinstance(found, Embeddings):
        return found
    if callable(found):
        return ensure_embeddings(found)
    with project.blaming("store.index.embed"):
        raise InvalidProject(f"{embed} is neither a function from texts to vectors nor an Embeddings")


def _of_provider(embed: str) -> Embeddings:
    try:
        from langchain.embeddings import init_embeddings
    except ImportError:
        raise InvalidProject(
            f"'{embed}' needs the package langchain; add it, or name a function of yours: ./path.py:name"
        ) from None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found: Any = init_embeddings(embed)
        except Exception as error:
            raise InvalidProject(f"'{embed}' cannot be loaded: {describe_thrown(error)}") from error
    return found  # type: ignore[no-any-return]
