import json
import uuid

from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.helpers import get_artifact_text, new_text_message
from a2a.types import a2a_pb2
from a2a.utils.errors import TaskNotCancelableError, TaskNotFoundError, UnsupportedOperationError
from google.protobuf.json_format import MessageToDict
from mcp import Client as McpClient
from mcp import MCPError
import httpx

from cases import case, equal

USER = a2a_pb2.Role.ROLE_USER


def words(text: str, **rest) -> a2a_pb2.SendMessageRequest:
    message = new_text_message(text, role=USER)
    for name, value in rest.items():
        setattr(message, name, value)
    return a2a_pb2.SendMessageRequest(message=message)


def values(data: dict, now: bool = False) -> a2a_pb2.SendMessageRequest:
    part = a2a_pb2.Part()
    part.data.struct_value.update(data)
    message = a2a_pb2.Message(message_id=str(uuid.uuid4()), role=USER, parts=[part])
    return a2a_pb2.SendMessageRequest(
        message=message, configuration=a2a_pb2.SendMessageConfiguration(return_immediately=now)
    )


async def agent(server, graph: str, streaming: bool = False):
    http = httpx.AsyncClient(timeout=120)
    card = await A2ACardResolver(http, f"{server.url}/a2a/{graph}").get_agent_card()
    return ClientFactory(ClientConfig(streaming=streaming, httpx_client=http)).create(card)


async def sent(client, request) -> a2a_pb2.Task:
    [answer] = [answer async for answer in client.send_message(request)]
    return answer.task


def state(task) -> str:
    return a2a_pb2.TaskState.Name(task.status.state)


async def refused(kind, call) -> None:
    try:
        answer = await call
    except kind:
        return
    raise AssertionError(f"expected {kind.__name__}, got {answer!r}")


@case("A2A: send a message, and continue in its context")
async def a2a_send(server):
    client = await agent(server, "echo")
    task = await sent(client, words("hello"))
    equal((state(task), get_artifact_text(task.artifacts[0])), ("TASK_STATE_COMPLETED", "echo: hello"))
    equal([message.role for message in task.history], [USER, a2a_pb2.Role.ROLE_AGENT])
    again = await sent(client, words("again", context_id=task.context_id))
    equal((again.context_id, again.id == task.id), (task.context_id, False))
    page = await client.list_tasks(a2a_pb2.ListTasksRequest(context_id=task.context_id))
    equal([one.id for one in page.tasks], [again.id, task.id])


@case("A2A: stream a message")
async def a2a_stream(server):
    client = await agent(server, "tokens", streaming=True)
    answers = [answer async for answer in client.send_message(values({"tokens": 3, "delay_ms": 50}))]
    equal(answers[0].WhichOneof("payload"), "task")
    equal(get_artifact_text(answers[-2].artifact_update.artifact), "t0 t1 t2")
    equal(state(answers[-1].status_update), "TASK_STATE_COMPLETED")


@case("A2A: a question, and its answer")
async def a2a_question(server):
    client = await agent(server, "approval")
    asked = await sent(client, values({"topic": "boats"}))
    question = MessageToDict(asked.artifacts[0].parts[0].data)
    equal((state(asked), question["value"]["question"]), ("TASK_STATE_INPUT_REQUIRED", "Publish?"))
    answer = {"task_id": asked.id, "context_id": asked.context_id}
    done = await sent(client, words("yes", **answer))
    equal((done.id, state(done)), (asked.id, "TASK_STATE_COMPLETED"))
    await refused(UnsupportedOperationError, sent(client, words("more", **answer)))


@case("A2A: get and cancel tasks")
async def a2a_cancel(server):
    client = await agent(server, "sleepy")
    task = await sent(client, values({"ms": 600_000}, now=True))
    equal((await client.get_task(a2a_pb2.GetTaskRequest(id=task.id))).context_id, task.context_id)
    equal(state(await client.cancel_task(a2a_pb2.CancelTaskRequest(id=task.id))), "TASK_STATE_CANCELED")
    await refused(TaskNotCancelableError, client.cancel_task(a2a_pb2.CancelTaskRequest(id=task.id)))
    await refused(TaskNotFoundError, client.get_task(a2a_pb2.GetTaskRequest(id="nobody")))


@case("MCP: list and call tools")
async def mcp_tour(server):
    async with McpClient(f"{server.url}/mcp") as client:
        equal(client.server_info.name, "slipway")
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        equal(tools["echo"].description, "Answers with what it is given")
        called = await client.call_tool("typed", {"city": "Oslo", "days": 1})
        equal((called.is_error, json.loads(called.content[0].text)["forecast"]), (False, ["Oslo, day 1: sunny"]))
        failed = await client.call_tool("boom", {"message": "no luck"})
        equal((failed.is_error, failed.content[0].text), (True, "Error: no luck"))
        await refused(MCPError, client.call_tool("nobody"))
