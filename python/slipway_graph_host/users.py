"""The user on whose behalf the project's code runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


class HostUser(Mapping[str, Any]):
    """A user returned by the project's `authenticate`, with its fields as attributes and keys."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        identity = str(fields.get("identity", ""))
        self._fields: dict[str, Any] = {
            "display_name": identity,
            "is_authenticated": True,
            "permissions": [],
            **fields,
            "identity": identity,
        }

    @property
    def identity(self) -> str:
        return str(self._fields["identity"])

    @property
    def display_name(self) -> str:
        return str(self._fields["display_name"])

    @property
    def is_authenticated(self) -> bool:
        return bool(self._fields["is_authenticated"])

    @property
    def permissions(self) -> list[str]:
        return list(self._fields["permissions"] or [])

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self._fields[name]
        except KeyError:
            raise AttributeError(f"the user has no '{name}'") from None

    def __getitem__(self, key: str) -> Any:
        return self._fields[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __repr__(self) -> str:
        return f"HostUser({self.identity!r})"

    def __reduce__(self) -> tuple[type[HostUser], tuple[dict[str, Any]]]:
        return (HostUser, (self._fields,))

    def model_dump(self) -> Mapping[str, Any]:
        return {**self._fields}

    def dict(self) -> Mapping[str, Any]:
        return {**self._fields}


def as_user(user: object) -> HostUser | None:
    return HostUser(user) if isinstance(user, Mapping) and user.get("identity") else None
