"""Graph factories: their arguments and results."""

from __future__ import annotations

import inspect
import typing
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Literal

from langchain_core.runnables import RunnableConfig

from .failures import InvalidProject
from .users import HostUser

if TYPE_CHECKING:
    from langgraph.store.base import BaseStore

AccessContext = Literal["threads.create_run", "threads.update", "threads.read", "assistants.read"]

try:
    from langgraph_sdk import runtime as sdk_runtime
except ImportError:  # Added in version 0.3 of the SDK.
    sdk_runtime = None  # type: ignore[assignment]


class Factory:
    """A callable of the project that takes `config`, the server's runtime, both or neither."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self._config, self._runtime = _parameters(function)

    def call(self, config: RunnableConfig, runtime: object) -> Any:
        arguments: dict[str, Any] = {}
        if self._config:
            arguments[self._config] = config
        if self._runtime:
            arguments[self._runtime] = runtime
        return self.function(**arguments)


def server_runtime(access: AccessContext, store: BaseStore, user: HostUser | None, context: object | None) -> object:
    """The argument for a `ServerRuntime` parameter; None if the SDK has no such class."""
    if sdk_runtime is None:
        return None
    common: dict[str, Any] = {"access_context": access, "user": user, "store": store}
    if access == "threads.create_run":
        return sdk_runtime._ExecutionRuntime(**common, context=context)
    return sdk_runtime._ReadRuntime(**common)


@asynccontextmanager
async def made_by(value: Any) -> AsyncIterator[Any]:
    """Enters or awaits a factory's result if it is a context manager or an awaitable."""
    if hasattr(value, "__aenter__") and hasattr(value, "__aexit__"):
        async with value as made:
            yield made
    elif hasattr(value, "__enter__") and hasattr(value, "__exit__"):
        with value as made:
            yield made
    elif inspect.isawaitable(value):
        yield await value
    else:
        yield value


def _parameters(function: Callable[..., Any]) -> tuple[str | None, str | None]:
    """Names of the config and runtime parameters."""
    parameters = list(inspect.signature(function).parameters.values())
    hints = _hints(function)
    runtimes = [p.name for p in parameters if _is_runtime(hints.get(p.name, p.annotation))]
    others = [p.name for p in parameters if p.name not in runtimes]
    if len(parameters) <= 1:
        return (others[0] if others else None), (runtimes[0] if runtimes else None)
    if len(parameters) == 2 and len(runtimes) == 1:
        return others[0], runtimes[0]
    raise InvalidProject(
        f"factory {getattr(function, '__name__', function)} takes {', '.join(p.name for p in parameters)};"
        " it may take a config and a parameter annotated as ServerRuntime"
    )


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    known: dict[str, Any] = {"RunnableConfig": RunnableConfig, "Config": RunnableConfig}
    if sdk_runtime is not None:
        known["ServerRuntime"] = sdk_runtime.ServerRuntime
    try:
        return typing.get_type_hints(function, localns=known)
    except Exception:
        return {}


def _is_runtime(annotation: Any) -> bool:
    if sdk_runtime is None or annotation is inspect.Parameter.empty:
        return False
    if annotation is sdk_runtime.ServerRuntime:
        return True
    if isinstance(annotation, type):
        return issubclass(annotation, sdk_runtime._ExecutionRuntime | sdk_runtime._ReadRuntime)
    origin = typing.get_origin(annotation)
    if origin is sdk_runtime.ServerRuntime:
        return True
    arguments = typing.get_args(annotation)
    return bool(origin and arguments) and _is_runtime(arguments[0])
