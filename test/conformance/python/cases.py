from dataclasses import dataclass
from typing import Any, Awaitable, Callable

import httpx


@dataclass
class Case:
    name: str
    run: Callable[[Any], Awaitable[None]]


CASES: list[Case] = []


def case(name: str):
    """Registers a case; it runs once with each of the SDK's clients."""

    def register(run):
        CASES.append(Case(name, run))
        return run

    return register


def equal(actual, expected) -> None:
    if actual != expected:
        raise AssertionError(f"expected {expected!r}, got {actual!r}")


def has(actual: dict, **expected) -> None:
    """Checks some fields of a record."""
    equal({key: actual.get(key, "(missing)") for key in expected}, expected)


async def refused(status: int, call: Awaitable) -> str:
    """Checks that the server answers with the status and a detail in words, which is returned."""
    try:
        answer = await call
    except httpx.HTTPStatusError as error:
        body = error.response.json()
        equal((error.response.status_code, body), (status, body))
        assert isinstance(body.get("detail"), str) and list(body) == ["detail"], body
        return body["detail"]
    raise AssertionError(f"expected status {status}, got the answer {answer!r}")


async def parts_of(stream) -> list:
    return [part async for part in stream]


def events_of(parts, name: str) -> list:
    return [part.data for part in parts if part.event == name]
