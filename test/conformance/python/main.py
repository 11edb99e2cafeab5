import asyncio
import json
import os
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor
from inspect import getmembers, isfunction

from langgraph_sdk import get_client, get_sync_client

import assistant_cases  # noqa: F401
import cancel_cases  # noqa: F401
import cron_cases  # noqa: F401
import event_stream_cases  # noqa: F401
import multitask_cases  # noqa: F401
import passthrough_cases  # noqa: F401
import protocol_cases  # noqa: F401
import reconnect_cases  # noqa: F401
import remote_graph_cases  # noqa: F401
import remote_graph_option_cases  # noqa: F401
import run_cases  # noqa: F401
import run_option_cases  # noqa: F401
import run_stream_cases  # noqa: F401
import store_cases  # noqa: F401
import thread_cases  # noqa: F401
import thread_search_cases  # noqa: F401
import thread_state_cases  # noqa: F401
import thread_stream_cases  # noqa: F401
import threadless_cases  # noqa: F401
import webhook_cases  # noqa: F401
from cases import CASES
from sdk_client import AsyncCall, BlockingCall, SdkClient

# Far more than a case takes: others may use the machine.
SECONDS = 180
KINDS = {"async": (get_client, AsyncCall), "sync": (get_sync_client, BlockingCall)}
# It speaks the event-streaming protocol, which has cases of its own.
ELSEWHERE = {"threads.stream"}


class Server:
    """The server under test, as a case sees it through one kind of client."""

    def __init__(self, kind: str, url: str):
        self.kind, self.url, self.called = kind, url, set()
        self.client = self.connect(url)
        self.raw = get_client(url=url, api_key=None)

    def connect(self, url: str) -> SdkClient:
        make, call = KINDS[self.kind]
        return SdkClient(make(url=url, api_key=None), call, self.called)


def every_method() -> set[str]:
    client = get_client(url="http://127.0.0.1:1", api_key=None)
    groups = ("assistants", "threads", "runs", "crons", "store")
    methods = {
        f"{group}.{name}" for group in groups for name, _ in getmembers(type(getattr(client, group)), isfunction)
    }
    return {method for method in methods if not method.split(".")[1].startswith("_")} - ELSEWHERE


async def outcome(work) -> dict:
    try:
        await asyncio.wait_for(work, SECONDS)
        return {"ok": True, "detail": ""}
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)
        ours = [frame for frame in last if "_cases" in frame.filename] or last
        place = f"{os.path.basename(ours[-1].filename)}:{ours[-1].lineno}: {ours[-1].line}"
        return {"ok": False, "detail": f"{type(error).__name__}: {error}\n{place}"}


async def check_called(server: Server) -> None:
    missing = every_method() - server.called
    assert not missing, f"no case called {sorted(missing)}"


async def main(urls: list[str], wanted: str) -> None:
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(32))
    # A server for each kind of client.
    await asyncio.gather(*(run_cases(kind, url, wanted) for kind, url in zip(KINDS, urls, strict=True)))


async def run_cases(kind: str, url: str, wanted: str) -> None:
    server = Server(kind, url)
    for case in CASES:
        if wanted in f"{kind} {case.name}":
            report(f"{kind} {case.name}", await outcome(case.run(server)))
    if not wanted:
        report(f"{kind} client: every method was called", await outcome(check_called(server)))


def report(name: str, result: dict) -> None:
    print(json.dumps({"name": name, **result}), flush=True)


def names() -> list[str]:
    last = "client: every method was called"
    return [f"{kind} {name}" for kind in KINDS for name in [*(case.name for case in CASES), last]]


if sys.argv[1] == "--list":
    print(json.dumps(names()), flush=True)
else:
    asyncio.run(main(sys.argv[1].split(","), sys.argv[2] if len(sys.argv) > 2 else ""))
# A thread of a call that never returned would keep the process.
os._exit(0)
