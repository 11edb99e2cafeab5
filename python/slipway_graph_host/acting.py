"""The user and call on whose behalf the project's code runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Acting:
    # Id of the server's call; the host's own requests are made on its behalf.
    scope: int | None = None
    user: dict[str, Any] | None = None


_NOBODY = Acting()
_current: ContextVar[Acting] = ContextVar("slipway_acting", default=_NOBODY)


@contextmanager
def acting_as(acting: Acting) -> Iterator[None]:
    """Replaces the whole context, so that nothing is inherited from an outer call."""
    token = _current.set(acting)
    try:
        yield
    finally:
        _current.reset(token)


def acting() -> Acting:
    return _current.get()
