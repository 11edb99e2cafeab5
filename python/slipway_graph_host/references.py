"""Imports a `./path.py:name` or `package.module:name` from the config file."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from .failures import InvalidProject
from .thrown import describe_thrown


def import_reference(folder: Path, reference: str) -> object:
    """Returns the referenced object. Raises InvalidProject with one line."""
    place, name = split_reference(reference)
    try:
        module = _import_file(folder, place) if is_file(place) else importlib.import_module(place)
    except InvalidProject:
        raise
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        raise InvalidProject(f"{place} failed to load: {describe_thrown(error)}") from error
    if name not in vars(module):
        raise InvalidProject(f"{place} has no '{name}'; {_known(module)}")
    return vars(module)[name]


def split_reference(reference: str) -> tuple[str, str]:
    place, colon, name = reference.rpartition(":")
    if not colon or not place or not name:
        raise InvalidProject(f"{reference} names no variable; write ./path.py:name or package.module:name")
    return place, name


def is_file(place: str) -> bool:
    return "/" in place or place.endswith(".py")


def _import_file(folder: Path, place: str) -> ModuleType:
    file = folder / place
    if not file.is_file():
        raise InvalidProject(f"no such file: {place} ({file})")
    name = _module_name(place)
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise InvalidProject(f"{place} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    # Registered before it runs, because the serialiser finds the module's classes by this name.
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _module_name(place: str) -> str:
    """The same in all deployments, because checkpoints refer to classes by it."""
    return place.removesuffix(".py").replace("/", "__").replace(" ", "_").lstrip(".")


def _known(module: ModuleType) -> str:
    names = [
        name for name, value in vars(module).items() if not name.startswith("_") and not isinstance(value, ModuleType)
    ]
    return f"it has {', '.join(names)}" if names else "it defines nothing"
