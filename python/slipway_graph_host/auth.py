"""The project's `Auth` of langgraph_sdk: authentication and authorization."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from langgraph_sdk import Auth

from .asgi import Headers, http_scope
from .auth_dependencies import with_dependencies
from .failures import InvalidProject, Refused
from .project import Project
from .users import HostUser

Params = dict[str, Any]

_PARAMETERS = (
    "request",
    "body",
    "user",
    "path",
    "method",
    "scopes",
    "path_params",
    "query_params",
    "headers",
    "authorization",
    "scope",
)


class ProjectAuth:
    def __init__(self, auth: Auth) -> None:
        handler: Any = with_dependencies(auth._authenticate_handler)
        self._auth = auth
        self._authenticate = handler
        self._parameters = _parameters_of(handler)

    @property
    def events(self) -> list[str]:
        keys = [*self._auth._handlers, *([("*", "*")] if self._auth._global_handlers else [])]
        return list(dict.fromkeys(_event_of(resource, action) for resource, action in keys))

    async def authenticate(self, method: str, url: str, headers: Headers) -> dict[str, Any]:
        """Returns the user. Raises Refused."""
        scope = http_scope(method, url, headers)
        arguments = _arguments(scope, self._parameters)
        try:
            if inspect.iscoroutinefunction(self._authenticate):
                answer = await self._authenticate(**arguments)
            else:
                answer = await asyncio.to_thread(self._authenticate, **arguments)
            return _user_of(answer)
        except Exception as error:
            raise refusal(error) or Refused(401, "Unauthorized") from error

    async def authorize(self, params: Params) -> dict[str, Any]:
        """Returns the handler's answer and the value it may have changed. Raises Refused or what it raises."""
        resource, action, value = params["resource"], params["action"], params.get("value") or {}
        handler = self._handler_of(resource, action)
        if handler is None:
            return {"answer": None, "value": value}
        if isinstance(value.get("namespace"), list):
            value["namespace"] = tuple(value["namespace"])
        user = HostUser(params.get("user") or {"is_authenticated": False})
        context = Auth.types.AuthContext(
            user=user,
            permissions=params.get("permissions") or user.permissions,
            resource=resource,
            action=action,
        )
        try:
            answer = handler(ctx=context, value=value)
            if inspect.isawaitable(answer):
                answer = await answer
        except AssertionError as error:
            raise Refused(403, str(error) or "Forbidden") from error
        except Exception as error:
            raise refusal(error) or error from error
        if answer is not None and not isinstance(answer, bool | dict):
            kind = type(answer).__name__
            raise TypeError(f"The authorization handler of {resource}:{action} returned a {kind}")
        return {"answer": answer, "value": value}

    def _handler_of(self, resource: str, action: str) -> Callable[..., Any] | None:
        """The most specific handler; of equals, the last one registered."""
        handlers: Mapping[Any, Any] = self._auth._handlers
        for key in ((resource, action), (resource, "*"), ("*", action), ("*", "*")):
            if handlers.get(key):
                found: Callable[..., Any] = handlers[key][-1]
                return found
        return self._auth._global_handlers[-1] if self._auth._global_handlers else None


def load_auth(project: Project) -> ProjectAuth | None:
    return project.part("auth.path", _project_auth)


def _project_auth(exported: object, path: str) -> ProjectAuth:
    if not isinstance(exported, Auth):
        raise InvalidProject(f"{path} is a {type(exported).__name__}, not an Auth of langgraph_sdk")
    if exported._authenticate_handler is None:
        raise InvalidProject(f"{path} has no authenticate handler; decorate one with @auth.authenticate")
    return ProjectAuth(exported)


def refusal(error: BaseException) -> Refused | None:
    """Converts an HTTP exception of langgraph_sdk, Starlette or FastAPI; None for others."""
    if isinstance(error, Refused):
        return error
    status = getattr(error, "status_code", None)
    if not isinstance(status, int):
        return None
    headers = getattr(error, "headers", None) or {}
    detail = getattr(error, "detail", None)
    return Refused(status, str(error if detail is None else detail), dict(headers))


def _event_of(resource: str, action: str) -> str:
    if action == "*":
        return resource
    return f"{resource}:{action}"


def _parameters_of(handler: Callable[..., Any]) -> set[str]:
    parameters = inspect.signature(handler).parameters
    unknown = [
        name
        for name, parameter in parameters.items()
        if name not in _PARAMETERS and parameter.default is parameter.empty
    ]
    if unknown:
        raise InvalidProject(
            f"the authenticate handler wants {', '.join(unknown)}; it may take {', '.join(_PARAMETERS)}"
        )
    return {name for name in parameters if name in _PARAMETERS}


def _arguments(scope: dict[str, Any], wanted: set[str]) -> dict[str, Any]:
    headers = dict(scope["headers"])
    authorization = headers.get(b"authorization")
    makers: dict[str, Callable[[], Any]] = {
        "scope": lambda: scope,
        "request": lambda: _request(scope),
        "user": lambda: None,
        "scopes": list,
        "path_params": dict,
        "path": lambda: scope["path"],
        "query_params": lambda: _query(scope["query_string"]),
        "headers": lambda: headers,
        "authorization": lambda: authorization.decode() if authorization else None,
        "method": lambda: scope["method"],
    }
    return {name: make() for name, make in makers.items() if name in wanted}


def _request(scope: dict[str, Any]) -> object:
    from starlette.requests import Request  # Only handlers that take a Request need it installed.

    return Request(scope)


def _query(query: bytes) -> object:
    try:
        from starlette.datastructures import QueryParams
    except ImportError:
        from urllib.parse import parse_qsl

        return dict(parse_qsl(query.decode("latin-1"), keep_blank_values=True))
    return QueryParams(query)


def _user_of(answer: Any) -> dict[str, Any]:
    """The handler's answer as user fields. Raises Refused if it isn't a user."""
    permissions: Any = None
    if isinstance(answer, tuple) and len(answer) == 2:
        permissions, answer = answer
    fields = _fields_of(answer)
    identity = fields.get("identity")
    if not isinstance(identity, str) or fields.get("is_authenticated") is False:
        raise Refused(401, "Unauthorized")
    known = permissions if permissions is not None else fields.get("permissions")
    return {
        "display_name": identity,
        "is_authenticated": True,
        **fields,
        "permissions": [str(permission) for permission in known or []],
    }


def _fields_of(user: Any) -> dict[str, Any]:
    if isinstance(user, str):
        return {"identity": user}
    if isinstance(user, Mapping):
        return dict(user)
    for method in ("model_dump", "dict", "to_dict"):
        convert = getattr(user, method, None)
        if callable(convert):
            fields = convert()
            if isinstance(fields, Mapping):
                return {**_base_fields(user), **fields}
    return {
        **{key: value for key, value in getattr(user, "__dict__", {}).items() if key[0] != "_"},
        **_base_fields(user),
    }


def _base_fields(user: Any) -> dict[str, Any]:
    """Read one by one, because they may be properties."""
    names = ("identity", "display_name", "is_authenticated", "permissions")
    found = {}
    for name in names:
        try:
            value = getattr(user, name)
        except (AttributeError, NotImplementedError):
            continue
        found[name] = value
    return found
