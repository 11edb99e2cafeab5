"""The host process: connects to the server, serves until the connection ends, and exits."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import socket
import sys

from .api_client import bind_sdk_client
from .methods import Host
from .node_threads import NodeExecutor
from .tracing import flush_traces

# Time limit for the project's own shutdown.
_CLOSING_SECONDS = 5


def main() -> None:
    # Removed, because the project's code doesn't need them.
    address = os.environ.pop("SLIPWAY_HOST_ADDRESS", None)
    token = os.environ.pop("SLIPWAY_HOST_TOKEN", None)
    if not address:
        sys.exit("slipway_graph_host is started by `slipway serve`: SLIPWAY_HOST_ADDRESS is not set")
    # A terminal sends Ctrl-C to the server too, and the host ends with its connection.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    level = os.environ.get("SLIPWAY_LOG_LEVEL", "info").upper()
    logging.basicConfig(
        stream=sys.stdout,
        level=level if isinstance(logging.getLevelName(level), int) else "INFO",
        format="%(levelname)s %(name)s: %(message)s",
    )
    # The longest time a computing thread can block the others.
    sys.setswitchinterval(0.001)
    # httpx logs a line per request.
    logging.getLogger("httpx").setLevel(logging.WARNING)
    _new_loop().run_until_complete(_serve(address, token))
    flush_traces(_CLOSING_SECONDS)
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    # Does not wait for a node's thread, which may never end.
    os._exit(0)


def _new_loop() -> asyncio.AbstractEventLoop:
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


async def _serve(address: str, token: str | None) -> None:
    loop = asyncio.get_running_loop()
    loop.set_default_executor(NodeExecutor())
    host = Host()
    channel = host.connect()
    bind_sdk_client(channel)
    kind, _, place = address.partition(":")
    if kind == "fd":
        os.set_inheritable(int(place), False)
        await loop.create_unix_connection(lambda: channel, sock=socket.socket(fileno=int(place)))
    elif kind == "unix":
        await loop.create_unix_connection(lambda: channel, path=place)
    elif kind == "tcp":
        name, _, port = place.rpartition(":")
        await loop.create_connection(lambda: channel, host=name, port=int(port))
    else:
        sys.exit(f"SLIPWAY_HOST_ADDRESS names no socket: {address}")
    if token is not None:
        await channel.call("hello", {"token": token})
    await channel.closed
    with contextlib.suppress(Exception):
        await asyncio.wait_for(host.close(), _CLOSING_SECONDS)
