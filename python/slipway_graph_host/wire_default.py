"""Wire forms of Python's and the engine's objects that JSON does not support."""

from __future__ import annotations

import ipaddress
import re
from base64 import b64encode
from collections import deque
from collections.abc import Mapping
from datetime import timedelta, timezone
from decimal import Decimal
from pathlib import PurePath
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from langgraph.types import Send

from .failures import public_failure


class NotSpecial:
    """Returned for objects without a wire form."""


_AS_TEXT = (
    UUID,
    ipaddress.IPv4Address,
    ipaddress.IPv4Interface,
    ipaddress.IPv4Network,
    ipaddress.IPv6Address,
    ipaddress.IPv6Interface,
    ipaddress.IPv6Network,
    PurePath,
)


def wire_default(value: Any) -> Any:
    """Converts one level towards JSON; the result may need further conversion."""
    if isinstance(value, Send):
        return {"node": value.node, "args": value.arg}
    if not isinstance(value, type):
        for method in ("model_dump", "dict", "_asdict"):
            convert = getattr(value, method, None)
            if callable(convert):
                return convert()
    if isinstance(value, BaseException):
        return public_failure(value)
    if isinstance(value, set | frozenset | deque):
        return list(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, timezone | ZoneInfo):
        return value.tzname(None)
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, Decimal):
        return _number(value)
    if isinstance(value, _AS_TEXT):
        return str(value)
    if isinstance(value, re.Pattern):
        return value.pattern
    if isinstance(value, bytes | bytearray | memoryview):
        return b64encode(value).decode()
    return NotSpecial


def _number(value: Decimal) -> int | float:
    exponent = value.as_tuple().exponent
    return int(value) if isinstance(exponent, int) and exponent >= 0 else float(value)
