import asyncio
import os
import time
from dataclasses import dataclass
from typing import Any, Callable

from langsmith import Client


@dataclass
class Case:
    name: str
    run: Callable[[Any], None]


CASES: list[Case] = []


def case(name: str):
    def register(run):
        CASES.append(Case(name, run))
        return run

    return register


class World:
    """The platform under test, and a client of it."""

    def __init__(self, url: str, api_key: str):
        self.url, self.api_key = url, api_key
        # What reads its settings itself, such as evaluate() and LangChain.
        os.environ.update(LANGSMITH_ENDPOINT=url, LANGSMITH_API_KEY=api_key, LANGSMITH_TRACING="true")
        self.client = Client(api_url=url, api_key=api_key)
        self._loop = asyncio.new_event_loop()

    def wait(self, work):
        """What the generated client answers."""
        return self._loop.run_until_complete(work)

    def all(self, pages) -> list:
        async def collected() -> list:
            return [item async for item in pages]

        return self.wait(collected())

    def logged(self, project: str, count: int, client: Client | None = None) -> list:
        """The runs of a project, once so many of them have ended."""
        (client or self.client).flush()
        runs: list = []

        def came() -> bool:
            try:
                runs[:] = self.client.list_runs(project_name=project)
            except Exception as error:
                if "not found" not in str(error).lower():
                    raise
            return len([run for run in runs if run.end_time]) >= count

        until(came)
        return sorted(runs, key=lambda run: run.dotted_order)


def until(holds: Callable[[], bool], seconds: float = 90) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not come true in time"
        time.sleep(0.05)


def equal(actual, expected) -> None:
    if actual != expected:
        raise AssertionError(f"expected {expected!r}, got {actual!r}")


def has(record, **expected) -> None:
    """Checks some fields of a record."""
    equal({key: getattr(record, key, "(missing)") for key in expected}, expected)


def refused(kind: type, call: Callable[[], Any]) -> str:
    try:
        answer = call()
    except kind as error:
        return str(error)
    raise AssertionError(f"expected {kind.__name__}, got the answer {answer!r}")
