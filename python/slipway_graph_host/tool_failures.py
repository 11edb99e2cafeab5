"""Keeps the public form of tools' errors, which the engine sends as plain text in the `tools` mode."""

from __future__ import annotations

from typing import Any

from langchain_core.callbacks import BaseCallbackHandler

from .failures import public_failure, public_task_error, text_of


class ToolFailures(BaseCallbackHandler):
    # Runs before the engine's own handler, which sends the text.
    run_inline = True

    def __init__(self) -> None:
        self._by_text: dict[str, dict[str, str]] = {}

    def on_tool_error(self, error: BaseException, **_details: Any) -> None:
        # For equal texts, the first failure is kept.
        self._by_text.setdefault(text_of(error), public_failure(error))

    def public(self, error: object) -> dict[str, str]:
        """Returns the public form of an error or of its text."""
        if isinstance(error, BaseException):
            return public_failure(error)
        return self._by_text.get(str(error)) or public_task_error(error)
