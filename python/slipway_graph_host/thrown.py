"""Describes errors in a project's code to its authors."""

from __future__ import annotations

import traceback
from pathlib import Path

_LONGEST = 2_000
_OURS = str(Path(__file__).parent)


def describe_thrown(error: BaseException) -> str:
    """Location, class and message, with further lines indented."""
    place = _place_of(error)
    message = str(error.msg) if isinstance(error, SyntaxError) else str(error)
    text = f"{type(error).__name__}: {message}".strip()
    notes = getattr(error, "__notes__", [])
    whole = ": ".join([*([place] if place else []), "\n".join([text, *notes])])[:_LONGEST]
    return "\n  ".join(line.strip() for line in whole.splitlines() if line.strip())


def _place_of(error: BaseException) -> str | None:
    """File and line of the innermost frame in the project's own code."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}:{error.lineno}"
    frames = traceback.extract_tb(error.__traceback__)
    for frame in reversed(frames):
        if "site-packages" in frame.filename or frame.filename.startswith((_OURS, "<")):
            continue
        if "/lib/python" in frame.filename:
            continue
        return f"{frame.filename}:{frame.lineno}"
    return None
