from asyncio import to_thread
from typing import TypedDict
from uuid import uuid4

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.pregel.remote import RemoteGraph

from cases import case, equal
from remote_graph_cases import Remote, thread


@case("RemoteGraph: context and configuration reach the graph")
async def context(server):
    user = str(uuid4())
    graph = Remote(server, "stateful")
    told = await graph.invoke({"remember": "tea"}, thread(), context={"user_id": user, "greeting": "Salut"})
    equal((told["greeting"], told["memories"]), (f"Salut, {user}", ["tea"]))
    graph._graph = graph._graph.with_config({"configurable": {"user_id": user}})
    equal((await graph.invoke({}))["memories"], ["tea"])


@case("RemoteGraph: interrupt_before and interrupt_after")
async def breakpoints(server):
    graph, config = Remote(server, "steps"), thread()
    await graph.invoke({"steps": 2}, config, interrupt_before=["step"])
    snapshot = await graph.get_state(config)
    equal((snapshot.next, snapshot.values["steps"]), (("step",), 2))
    await graph.invoke(None, config, interrupt_after=["step"])
    equal((await graph.get_state(config)).values["done"], [1])
    equal((await graph.invoke(None, config))["done"], [1, 2])


@case("RemoteGraph: history by metadata")
async def history(server):
    graph, config = Remote(server, "steps"), thread()
    await graph.invoke({"steps": 2}, config)
    inputs = [past async for past in graph.get_state_history(config, filter={"source": "input"})]
    equal([past.metadata["source"] for past in inputs], ["input"])


@case("RemoteGraph: batch")
async def batch(server):
    graph = Remote(server, "echo")
    answers = await graph.batch([{"text": str(n)} for n in range(5)])
    equal([answer["echo"] for answer in answers], ["0", "1", "2", "3", "4"])


@case("RemoteGraph: the second form of its stream")
async def second_form(server):
    parts = [part async for part in Remote(server, "steps").stream({"steps": 1}, stream_mode="updates", version="v2")]
    equal({part["type"] for part in parts}, {"updates"})
    equal([part["data"] for part in parts][-1], {"step": {"done": [1]}})


class State(TypedDict, total=False):
    text: str
    echo: str


@case("RemoteGraph: works as a node of a local graph")
async def node(server):
    builder = StateGraph(State).add_node("away", RemoteGraph("echo", url=server.url)).add_edge(START, "away")
    home = builder.compile(checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": str(uuid4())}}
    if server.kind == "sync":
        answer = await to_thread(home.invoke, {"text": "hi"}, config)
    else:
        answer = await home.ainvoke({"text": "hi"}, config)
    equal((answer["text"], answer["echo"]), ("hi", "hi"))
