"""Serialised values as they are stored."""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import Any

from langgraph.checkpoint.serde.base import SerializerProtocol

StoredValue = dict[str, str]


def store_value(serde: SerializerProtocol, value: object) -> StoredValue:
    """Serialises at once: what the caller changes in the value after this call is not stored."""
    kind, data = serde.dumps_typed(value)
    return {"type": kind, "value": data.decode() if kind == "json" else b64encode(data).decode()}


def revive_value(serde: SerializerProtocol, stored: StoredValue) -> Any:
    """A fresh copy each time."""
    kind, text = stored["type"], stored["value"]
    return serde.loads_typed((kind, text.encode() if kind == "json" else b64decode(text)))
