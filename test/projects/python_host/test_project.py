import os
import sys
import tempfile
import unittest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from unittest import mock

from fastapi import Depends, Request
from langgraph_sdk import Auth
from langgraph_sdk.runtime import ServerRuntime

from slipway_graph_host.auth import ProjectAuth
from slipway_graph_host.factories import Factory, made_by
from slipway_graph_host.failures import InvalidProject, Refused
from slipway_graph_host.lifespan import Lifespan
from slipway_graph_host.project import Project
from slipway_graph_host.references import import_reference

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig


class Factories(unittest.IsolatedAsyncioTestCase):
    def test_get_what_they_ask_for(self) -> None:
        def both(runtime: "ServerRuntime[Any]", config: "RunnableConfig") -> Any:
            return config, runtime

        config: Any = {"configurable": {}}
        self.assertEqual(Factory(lambda: "none").call(config, "runtime"), "none")
        self.assertEqual(Factory(lambda config: config).call(config, "runtime"), config)
        self.assertEqual(Factory(both).call(config, "runtime"), (config, "runtime"))

        def only(runtime: ServerRuntime) -> Any:
            return runtime

        self.assertEqual(Factory(only).call(config, "runtime"), "runtime")

    def test_that_ask_for_more_are_refused(self) -> None:
        for function in (lambda a, b: a, lambda a, b, c: a):
            with self.assertRaisesRegex(InvalidProject, "may take a config and a parameter annotated"):
                Factory(function)

    async def test_may_return_managers_and_awaitables(self) -> None:
        async def awaitable() -> str:
            return "made"

        class Manager:
            open = False

            def __enter__(self) -> str:
                self.open = True
                return "made"

            def __exit__(self, *_: object) -> None:
                self.open = False

        manager = Manager()
        for value in (awaitable(), manager, "made"):
            async with made_by(value) as made:
                self.assertEqual(made, "made")
                self.assertTrue(value is not manager or manager.open)
        self.assertFalse(manager.open)


class References(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def problem_of(self, source: str, reference: str = "./agent.py:graph") -> str:
        (self.folder / "agent.py").write_text(source)
        with self.assertRaises(InvalidProject) as raised:
            import_reference(self.folder, reference)
        return str(raised.exception).replace(str(self.folder), "")

    def test_say_what_is_wrong_and_where(self) -> None:
        self.assertEqual(
            self.problem_of("x = 1\ny = (\n"),
            "./agent.py failed to load: /agent.py:2: SyntaxError: '(' was never closed",
        )
        self.assertEqual(
            self.problem_of("import os\n\nimport nowhere_to_be_found\n"),
            "./agent.py failed to load: /agent.py:3: ModuleNotFoundError: No module named 'nowhere_to_be_found'",
        )
        self.assertEqual(self.problem_of("import os\na = 1\n_b = 2\n"), "./agent.py has no 'graph'; it has a")
        self.assertIn("names no variable", self.problem_of("", "./agent.py"))
        self.assertIn("failed to load", self.problem_of("", "no.such.module:graph"))

    def test_import_a_file_once(self) -> None:
        (self.folder / "once.py").write_text("graph = object()\nother = graph\n")
        self.addCleanup(sys.modules.pop, "__once", None)
        graph = import_reference(self.folder, "./once.py:graph")
        self.assertIs(import_reference(self.folder, "./once.py:other"), graph)


class Folders(unittest.TestCase):
    def test_of_a_project_and_its_dependencies_are_where_files_and_modules_are_found(self) -> None:
        before, path = os.getcwd(), list(sys.path)
        self.addCleanup(os.chdir, before)
        self.addCleanup(lambda: sys.path.__setitem__(slice(None), path))
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name).resolve()
            (folder / "lib").mkdir()
            Project(folder, "langgraph.json", {"dependencies": [".", "./lib", "requests"]}).enter()
            self.assertEqual(Path.cwd(), folder)
            self.assertEqual(sys.path[len(path) :], [str(folder), str(folder / "lib")])
            os.chdir(before)


class Authentication(unittest.IsolatedAsyncioTestCase):
    async def authenticate(self, handler: Any, headers: dict[str, str] | None = None) -> dict[str, Any]:
        auth = Auth()
        auth.authenticate(handler)
        pairs = [[name, value] for name, value in (headers or {}).items()]
        return await ProjectAuth(auth).authenticate("POST", "https://api.test/threads?a=1", pairs)

    async def test_gives_handlers_any_of_their_parameters(self) -> None:
        async def handler(method: str, path: str, query_params: Any, headers: Any, authorization: str, scopes: Any):
            return {
                "identity": "ada",
                "seen": [method, path, query_params["a"], headers[b"x-a"].decode(), authorization],
            }

        user = await self.authenticate(handler, {"X-A": "b", "Authorization": "Bearer t"})
        self.assertEqual(user["seen"], ["POST", "/threads", "1", "b", "Bearer t"])
        self.assertEqual((user["display_name"], user["permissions"], user["is_authenticated"]), ("ada", [], True))

    async def test_takes_users_of_any_form(self) -> None:
        class User:
            identity = "ada"
            permissions = ("read",)

        async def by_request(request: Request) -> Any:
            return ["read"], request.headers["x-user"]

        self.assertEqual((await self.authenticate(by_request, {"x-user": "ada"}))["permissions"], ["read"])

        async def by_class() -> Any:
            return User()

        self.assertEqual((await self.authenticate(by_class))["permissions"], ["read"])

        async def by_nothing() -> Any:
            return None

        with self.assertRaises(Refused) as raised:
            await self.authenticate(by_nothing)
        self.assertEqual(raised.exception.status, 401)

    async def test_fills_in_dependencies_of_fastapi(self) -> None:
        def token(request: Request) -> str:
            return request.headers["authorization"]

        async def handler(found: Annotated[str, Depends(token)], path: str) -> Any:
            return {"identity": found, "path": path}

        user = await self.authenticate(handler, {"authorization": "ada"})
        self.assertEqual((user["identity"], user["path"]), ("ada", "/threads"))

    def test_refuses_handlers_that_want_more(self) -> None:
        async def handler(database: Any) -> Any:
            return database

        auth = Auth()
        auth.authenticate(handler)
        with self.assertRaisesRegex(InvalidProject, "wants database"):
            ProjectAuth(auth)


class Lifespans(unittest.IsolatedAsyncioTestCase):
    async def test_of_an_application_that_cannot_start(self) -> None:
        async def app(scope: Any, receive: Any, send: Any) -> None:
            await receive()
            await send({"type": "lifespan.startup.failed", "message": "Traceback …\nOSError: no disk"})

        with self.assertRaisesRegex(InvalidProject, "its lifespan failed: OSError: no disk"):
            await Lifespan(app).start()

    async def test_of_an_application_without_one(self) -> None:
        app = mock.AsyncMock(side_effect=AssertionError("http only"))
        lifespan = Lifespan(app)
        await lifespan.start()
        await lifespan.end()
