"""The engine tells errors of tools as text in the `tools` mode; this keeps what callers may see of each."""

from __future__ import annotations

from typing import Any

from langchain_core.callbacks import BaseCallbackHandler

from .failures import public_failure, public_task_error, text_of


class ToolFailures(BaseCallbackHandler):
    # Before the engine's own handler, which sends the text.
    run_inline = True

    def __init__(self) -> None:
        self._by_text: dict[str, dict[str, str]] = {}

    def on_tool_error(self, error: BaseException, **_details: Any) -> None:
        # An equal text keeps the failure that was shown first.
        self._by_text.setdefault(text_of(error), public_failure(error))

    def public(self, error: object) -> dict[str, str]:
        """Of an error, or of the text of one."""
        if isinstance(error, BaseException):
            return public_failure(error)
        return self._by_text.get(str(error)) or public_task_error(error)
