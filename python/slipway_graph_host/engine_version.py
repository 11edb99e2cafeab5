"""The version of the project's langgraph."""

from __future__ import annotations

import re

import langgraph.version

from .failures import InvalidProject

_OLDEST = (0, 6)


def engine_version() -> tuple[int, ...]:
    """The version as numbers, without release candidate suffixes."""
    leading = (re.match(r"\d*", part) for part in langgraph.version.__version__.split(".")[:3])
    return tuple(int(found.group() or 0) for found in leading if found)


def check_engine() -> None:
    if engine_version() < _OLDEST:
        found = langgraph.version.__version__
        raise InvalidProject(
            f"langgraph {found} is installed; this server runs 0.6 and newer: pip install -U langgraph"
        )
