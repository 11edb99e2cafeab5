"""Converts any value a graph may produce to JSON text and back."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import json
import math
import re
import uuid
from typing import Any

from .wire_default import NotSpecial, wire_default

try:
    import orjson
except ImportError:  # On CPython, langgraph depends on it.
    orjson = None  # type: ignore[assignment]

# Deeper nesting would overflow the stack of readers.
DEEPEST = 250
_OPTIONS = 0 if orjson is None else orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS
_PLAIN_OPTIONS = 0 if orjson is None else orjson.OPT_NON_STR_KEYS
# The first alternative consumes escaped backslashes, so that the second does not match after them.
_NUL = re.compile(rb"(\\\\)|\\u0000")
_SURROGATES = re.compile("[\ud800-\udfff]")


def loads(text: bytes | str) -> Any:
    return json.loads(text) if orjson is None else orjson.loads(text)


def dumps(value: object) -> bytes:
    """JSON text of one of this package's own values, whose keys are strings and which need no special form."""
    return _stdlib(value) if orjson is None else orjson.dumps(value, default=_default, option=_PLAIN_OPTIONS)


def wire_json(value: object) -> bytes:
    """
    JSON text of a project's value in its wire form. Never fails: values without a wire form become null, cycles a text.
    Replaces NUL and unpaired surrogates by U+FFFD, because jsonb can't store them.
    """
    if orjson is None:
        text = _stdlib(_plain(value, []))
    else:
        try:
            text = orjson.dumps(value, default=_default, option=_OPTIONS)
        except TypeError:
            text = _stdlib(_plain(value, []))
    return _without_nul(text) if rb"\u0000" in text else text


def _without_nul(text: bytes) -> bytes:
    return _NUL.sub(lambda found: found.group(1) or rb"\ufffd", text)


def _default(value: object) -> Any:
    found = wire_default(value)
    return None if found is NotSpecial else found


def _stdlib(value: object) -> bytes:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_default)
    return _SURROGATES.sub("\ufffd", text).encode()


def _plain(value: object, path: list[int]) -> Any:
    """The slow path, for values that orjson rejects, and if orjson is missing."""
    if value is None or (isinstance(value, bool | str) and not isinstance(value, enum.Enum)):
        return _whole(value) if isinstance(value, str) else value
    if isinstance(value, enum.Enum):
        return _plain(value.value, path)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if id(value) in path:
        return "[Circular]"
    if len(path) >= DEEPEST:
        return "[Too deep]"
    path.append(id(value))
    try:
        return _plain_object(value, path)
    finally:
        path.pop()


def _plain_object(value: object, path: list[int]) -> Any:
    if isinstance(value, dict):
        return {_key(key): _plain(item, path) for key, item in value.items()}
    if isinstance(value, list | tuple) and not hasattr(value, "_asdict"):
        return [_plain(item, path) for item in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value) if not field.name.startswith("_")]
        return {name: _plain(getattr(value, name, None), path) for name in names}
    if isinstance(value, datetime.datetime | datetime.date | datetime.time):
        return value.isoformat()
    try:
        found = wire_default(value)
    except Exception:
        return f"[{type(value).__name__}]"
    return None if found is NotSpecial else _plain(found, path)


def _key(key: object) -> str:
    if isinstance(key, enum.Enum):
        return _key(key.value)
    if isinstance(key, str):
        return _whole(key)
    if isinstance(key, bool) or key is None:
        return json.dumps(key)
    if isinstance(key, datetime.datetime | datetime.date | datetime.time):
        return key.isoformat()
    return str(key) if isinstance(key, int | float | uuid.UUID) else repr(key)


def _whole(text: str) -> str:
    return _SURROGATES.sub("\ufffd", text)
