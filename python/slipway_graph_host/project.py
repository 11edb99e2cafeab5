"""A project: its configuration, and imports from it."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from .failures import InvalidProject
from .references import import_reference

Part = TypeVar("Part")


class Project:
    def __init__(self, folder: Path, file: str, config: dict[str, Any]) -> None:
        self.folder = folder
        self.file = file
        self.config = config
        self.warnings: list[str] = []

    def section(self, key: str) -> dict[str, Any]:
        section = self.config.get(key)
        return section if isinstance(section, dict) else {}

    def load(self, key: str, reference: str) -> object:
        """Imports the reference of a config key. Raises InvalidProject, which names the key."""
        with self.blaming(key):
            return import_reference(self.folder, reference)

    def part(self, key: str, make: Callable[[object, str], Part]) -> Part | None:
        """
        Calls `make` with the object that a key such as `auth.path` refers to, and the reference; None without the key.
        Raises InvalidProject, which names the key.
        """
        section, _, name = key.partition(".")
        reference = self.section(section).get(name)
        if reference is None:
            return None
        exported = self.load(key, reference)
        with self.blaming(key):
            return make(exported, reference)

    def blaming(self, key: str) -> _Blaming:
        return _Blaming(f"{self.file}: {key}")

    def warn(self, line: str) -> None:
        if line not in self.warnings:
            self.warnings.append(line)

    def enter(self) -> None:
        """Makes the project's folder the current one, and its dependencies that are folders importable."""
        with contextlib.suppress(OSError):
            os.chdir(self.folder)
        folders = [self.folder]
        for dependency in self.config.get("dependencies") or []:
            folder = (self.folder / str(dependency)).resolve()
            if folder.is_dir():
                folders.append(folder)
        for folder in folders:
            if str(folder) not in sys.path:
                sys.path.append(str(folder))


class _Blaming:
    """Prefixes the message of an InvalidProject with the part of the config file at fault."""

    def __init__(self, subject: str) -> None:
        self._subject = subject

    def __enter__(self) -> None:
        return None

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, InvalidProject):
            raise InvalidProject(f"{self._subject}: {error}") from error
