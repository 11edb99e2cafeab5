"""Texts for strangers: no credentials, connection strings, internal hosts or file paths."""

from __future__ import annotations

from .redaction_credentials import redact_credentials
from .redaction_places import redact_places


def redact(text: str) -> str:
    return redact_places(redact_credentials(text))
