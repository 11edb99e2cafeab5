"""Converts requests of the protocol to ASGI."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import unquote, urlsplit

Headers = list[list[str]]
Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


def http_scope(method: str, url: str, headers: Headers) -> dict[str, Any]:
    parts = urlsplit(url)
    scheme = parts.scheme or "http"
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method.upper(),
        "scheme": scheme,
        "path": unquote(parts.path) or "/",
        "raw_path": (parts.path or "/").encode("ascii", "replace"),
        "query_string": parts.query.encode("latin-1", "replace"),
        "root_path": "",
        "headers": [(name.lower().encode("latin-1"), value.encode("latin-1", "replace")) for name, value in headers],
        "server": (parts.hostname or "localhost", parts.port or (443 if scheme == "https" else 80)),
        "client": None,
        "state": {},
    }


def web_socket_scope(url: str, headers: Headers) -> dict[str, Any]:
    scope = http_scope("GET", url, headers)
    del scope["method"]
    offered = [value for name, value in headers if name.lower() == "sec-websocket-protocol"]
    scheme = "wss" if scope["scheme"] == "https" else "ws"
    return {**scope, "type": "websocket", "scheme": scheme, "subprotocols": re.findall(r"[^\s,]+", ",".join(offered))}


def wire_headers(headers: Any) -> Headers:
    return [[name.decode("latin-1"), value.decode("latin-1")] for name, value in headers]
