"""What `store.index.embed` names: a function or `Embeddings` of the project, or `provider:model` of LangChain."""

from __future__ import annotations

import re
import warnings
from typing import Any

from langchain_core.embeddings import Embeddings
from langgraph.store.base.embed import ensure_embeddings

from .failures import InvalidProject
from .project import Project
from .thrown import describe_thrown

_PROVIDER = re.compile(r"[\w-]+:.+")


def load_embeddings(project: Project) -> Embeddings | None:
    index = project.section("store").get("index") or {}
    embed = index.get("embed")
    if embed is None:
        return None
    key = "store.index.embed"
    if _PROVIDER.fullmatch(embed):
        with project.blaming(key):
            return _of_provider(embed)
    found = project.load(key, embed)
    if isinstance(found, Embeddings):
        return found
    if callable(found):
        return ensure_embeddings(found)
    with project.blaming(key):
        raise InvalidProject(f"{embed} is neither a function from texts to vectors nor an Embeddings")


async def embed_texts(embeddings: Embeddings, texts: list[str], *, is_query: bool) -> Any:
    if is_query:
        return [await embeddings.aembed_query(text) for text in texts]
    return await embeddings.aembed_documents(texts)


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
