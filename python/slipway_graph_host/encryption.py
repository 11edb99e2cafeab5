"""The project's `Encryption` of langgraph_sdk."""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import Any

from .failures import InvalidProject
from .project import Project
from .users import as_user

try:
    from langgraph_sdk import Encryption, EncryptionContext
except ImportError:  # Added in version 0.2.14 of the SDK.
    Encryption = None  # type: ignore[assignment,misc]

Params = dict[str, Any]


class ProjectEncryption:
    def __init__(self, encryption: Any) -> None:
        self._handlers: dict[tuple[str, str], Any] = {
            ("encrypt", "json"): encryption._json_encryptor,
            ("decrypt", "json"): encryption._json_decryptor,
            ("encrypt", "blob"): encryption._blob_encryptor,
            ("decrypt", "blob"): encryption._blob_decryptor,
        }
        self._context: Any = getattr(encryption, "_context_handler", None)

    def problem(self) -> str | None:
        if not any(self._handlers.values()):
            return "has no handlers"
        for kind in ("json", "blob"):
            if bool(self._handlers["encrypt", kind]) != bool(self._handlers["decrypt", kind]):
                return f"encrypts or decrypts '{kind}', but not both"
        return None

    def description(self) -> dict[str, bool]:
        return {
            "json": self._handlers["encrypt", "json"] is not None,
            "blob": self._handlers["encrypt", "blob"] is not None,
            "context": self._context is not None,
        }

    async def apply(self, params: Params) -> Any:
        kind, data = params["kind"], params["data"]
        handler = self._handlers[params["operation"], kind]
        answer = await handler(_context(params.get("context")), b64decode(data) if kind == "blob" else data)
        # A decryptor may also return a replacement to store.
        plain = getattr(answer, "plaintext", answer)
        return b64encode(plain).decode() if kind == "blob" else plain

    async def context(self, params: Params) -> Any:
        return await self._context(as_user(params.get("user")), _context(params.get("context")))


def _context(fields: Params | None) -> Any:
    given = fields or {}
    context: Any = EncryptionContext(given.get("model"), given.get("metadata") or {})
    # Older SDKs don't have this attribute.
    context.field = given.get("field")
    return context


def load_encryption(project: Project) -> ProjectEncryption | None:
    return project.part("encryption.path", _project_encryption)


def _project_encryption(exported: object, path: str) -> ProjectEncryption:
    if Encryption is None or not isinstance(exported, Encryption):
        raise InvalidProject(f"{path} is a {type(exported).__name__}, not an Encryption of langgraph_sdk")
    encryption = ProjectEncryption(exported)
    if problem := encryption.problem():
        raise InvalidProject(f"{path} {problem}")
    return encryption
