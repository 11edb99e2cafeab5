"""Support for FastAPI's `Depends` in authenticate handlers."""

from __future__ import annotations

import inspect
import sys
import typing
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Any


def with_dependencies(handler: Any) -> Any:
    """Returns the handler, wrapped to resolve its FastAPI dependencies if it has any."""
    found = _dependencies_of(handler)
    if not found:
        return handler
    names = [name for name in inspect.signature(handler).parameters if name not in found]

    async def filled(scope: dict[str, Any], request: Any) -> Any:
        from .auth import _arguments

        async with AsyncExitStack() as stack:
            # FastAPI registers dependencies to close here.
            scope["fastapi_inner_astack"] = scope["fastapi_function_astack"] = stack
            values = {name: await _solve(depends, request, stack) for name, depends in found.items()}
            answer = handler(**values, **_arguments(scope, set(names)))
            return await answer if inspect.isawaitable(answer) else answer

    return filled


def _dependencies_of(handler: Callable[..., Any]) -> dict[str, Any]:
    # If the project uses FastAPI, it's already imported.
    params: Any = sys.modules.get("fastapi.params")
    if params is None:
        return {}
    try:
        hints = typing.get_type_hints(handler, include_extras=True)
    except Exception:
        hints = getattr(handler, "__annotations__", {})
    found = {}
    for name, parameter in inspect.signature(handler).parameters.items():
        candidates = [parameter.default, *typing.get_args(hints.get(name))]
        for candidate in candidates:
            if isinstance(candidate, params.Depends):
                found[name] = candidate
    return found


async def _solve(depends: Any, request: Any, stack: AsyncExitStack) -> Any:
    from fastapi.dependencies.utils import get_parameterless_sub_dependant, solve_dependencies

    dependant = get_parameterless_sub_dependant(depends=depends, path="")
    solved = await solve_dependencies(
        request=request, dependant=dependant, async_exit_stack=stack, embed_body_fields=False
    )
    assert dependant.call
    value = dependant.call(**solved.values)
    return await value if inspect.isawaitable(value) else value
