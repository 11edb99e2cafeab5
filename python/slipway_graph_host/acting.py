"""In whose name the project's code runs right now."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Acting:
    # Id of the server's call: what the host asks for, it asks for in that call's name.
    scope: int | None = None
    user: dict[str, Any] | None = None


_NOBODY = Acting()
_current: ContextVar[Acting] = ContextVar("slipway_acting", default=_NOBODY)


@contextmanager
def acting_as(acting: Acting) -> Iterator[None]:
    """Every entry into the project's code names the user; nothing is inherited."""
    token = _current.set(acting)
    try:
        yield
    finally:
        _current.reset(token)


def acting() -> Acting:
    return _current.get()
