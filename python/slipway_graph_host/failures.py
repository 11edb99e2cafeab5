"""Errors that cross the connection, and the parts of an error that callers may see."""

from __future__ import annotations

import re
from typing import Any

from langgraph.errors import EmptyInputError, GraphBubbleUp, InvalidUpdateError, TaskNotFound

from .redaction import redact

HIDDEN = "An internal error occurred"


class InvalidProject(Exception):  # noqa: N818
    """A project that can't be served. The message has one line per problem."""


class Refused(Exception):  # noqa: N818
    """An HTTP exception of the project's handlers."""

    def __init__(self, status: int, message: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = headers or {}


class Cancelled(Exception):  # noqa: N818
    """The caller cancelled the call. `left` is whether all of its code has returned."""

    def __init__(self, reason: str, *, left: bool = True) -> None:
        super().__init__(reason)
        self.left = left


def unreadable(graph_id: str, error: Exception) -> Refused:
    """The refusal if a graph's own code fails. Shows the message of a ValueError."""
    if isinstance(error, ValueError):
        return Refused(400, redact(text_of(error)))
    return Refused(422, f"Graph '{graph_id}' cannot be read: its own code failed")


class RemoteError(Exception):
    """The server answered a call with an error, or the connection was lost."""

    def __init__(self, answer: dict[str, Any]) -> None:
        super().__init__(str(answer.get("message", "no message")))
        self.answer = answer

    @property
    def name(self) -> str:
        return str(self.answer.get("error", "Error"))


# Classes whose messages are safe to show; others may contain secrets.
_KNOWN: tuple[type[BaseException], ...] = (
    ValueError,
    TypeError,
    KeyError,
    AttributeError,
    RuntimeError,
    RecursionError,
    TimeoutError,
    InvalidUpdateError,
    GraphBubbleUp,
    EmptyInputError,
    TaskNotFound,
)
_KNOWN_NAMES = {kind.__name__ for kind in _KNOWN} | {"GraphRecursionError", "UnicodeDecodeError"}


def public_failure(error: BaseException) -> dict[str, str]:
    """Class and message without secrets; the message only for built-in and engine classes (contract §1.2)."""
    name = type(error).__name__
    if isinstance(error, RemoteError):
        return {"error": error.name, "message": redact(str(error))}
    known = isinstance(error, _KNOWN) or _is_http_exception(error)
    return {"error": redact(name) or "Error", "message": redact(text_of(error)) if known else HIDDEN}


def _is_http_exception(error: BaseException) -> bool:
    return any(kind.__name__ == "HTTPException" for kind in type(error).__mro__)


def text_of(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:
        return HIDDEN


# The engine stores errors as their repr.
_REPR = re.compile(r"([A-Za-z_]\w{0,100})\((.*)\)", re.DOTALL)


def public_task_error(error: object) -> dict[str, str]:
    """Like `public_failure`, for a task's error, which the engine may have stored as text."""
    if isinstance(error, BaseException):
        return public_failure(error)
    found = _REPR.fullmatch(str(error))
    if not found:
        return {"error": "Error", "message": HIDDEN}
    name, arguments = found.groups()
    if name not in _KNOWN_NAMES:
        return {"error": redact(name), "message": HIDDEN}
    return {"error": name, "message": redact(_unquoted(arguments))}


def _unquoted(arguments: str) -> str:
    quote = arguments[:1]
    if quote in ("'", '"') and len(arguments) > 1 and arguments.endswith(quote):
        return arguments[1:-1].replace("\\n", "\n").replace(f"\\{quote}", quote).replace("\\\\", "\\")
    return arguments


def describe_error(error: BaseException) -> dict[str, Any]:
    """The body of an `error` frame."""
    if isinstance(error, InvalidProject):
        return {"error": "InvalidProject", "message": str(error)}
    if isinstance(error, Refused):
        return {
            "error": "Refused",
            "status": error.status,
            "message": error.message,
            "headers": error.headers,
        }
    if isinstance(error, Cancelled):
        return {"error": "Cancelled", "message": str(error), "left": error.left}
    return dict(public_failure(error))
