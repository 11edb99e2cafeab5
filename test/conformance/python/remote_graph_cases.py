from uuid import uuid4

from langgraph.pregel.remote import RemoteException, RemoteGraph
from langgraph.types import Command

from cases import case, equal
from sdk_client import AsyncCall, BlockingCall


class Remote:
    """A RemoteGraph under its synchronous names; the asynchronous methods have an `a` before them."""

    def __init__(self, server, graph: str):
        self._graph = RemoteGraph(graph, url=server.url)
        self._blocking = server.kind == "sync"

    def __getattr__(self, name: str):
        method = getattr(self._graph, name if self._blocking else f"a{name}")
        call = BlockingCall if self._blocking else AsyncCall
        return lambda *args, **kwargs: call(lambda: method(*args, **kwargs))


def thread() -> dict:
    return {"configurable": {"thread_id": str(uuid4())}}


@case("RemoteGraph: invoke, with and without a thread")
async def invoke(server):
    graph, config = Remote(server, "steps"), thread()
    equal(await graph.invoke({"steps": 2}, config), {"steps": 2, "done": [1, 2]})
    equal(await graph.invoke({"steps": 4}, config), {"steps": 4, "done": [1, 2, 3, 4]})
    equal(await graph.invoke({"steps": 1}), {"steps": 1, "done": [1]})


@case("RemoteGraph: stream, one mode, several, with subgraphs")
async def stream(server):
    graph = Remote(server, "parent")
    equal([list(chunk) async for chunk in graph.stream({"topic": "tea"})], [["before"], ["child"], ["after"]])
    several = [chunk async for chunk in graph.stream({"topic": "tea"}, stream_mode=["values", "updates"])]
    equal({chunk.event for chunk in several}, {"values", "updates"})
    nested = [ns async for ns, _ in graph.stream({"topic": "tea"}, stream_mode="updates", subgraphs=True)]
    assert () in nested and any(ns and ns[0].startswith("child:") for ns in nested), nested
    tokens = Remote(server, "tokens").stream({"tokens": 3}, stream_mode="messages")
    texts = [message["content"] async for message, _ in tokens]
    equal("".join(texts), "t0 t1 t2")


@case("RemoteGraph: get_state, update_state and history")
async def state(server):
    graph, config = Remote(server, "steps"), thread()
    await graph.invoke({"steps": 2}, config)
    snapshot = await graph.get_state(config)
    equal((snapshot.values, snapshot.next), ({"steps": 2, "done": [1, 2]}, ()))
    equal(snapshot.metadata["source"], "loop")
    updated = await graph.update_state(config, {"done": [9]}, as_node="step")
    equal((await graph.get_state(updated)).values["done"], [1, 2, 9])
    history = [snapshot async for snapshot in graph.get_state_history(config)]
    equal([past.values["done"] for past in history][:3], [[1, 2, 9], [1, 2], [1]])
    older = [past async for past in graph.get_state_history(config, before=history[1].config, limit=1)]
    equal(older[0].config, history[2].config)
    equal((await graph.get_state(history[2].config)).values["done"], [1])


@case("RemoteGraph: interrupts are reported and resumed")
async def interrupts(server):
    graph, config = Remote(server, "approval"), thread()
    stopped = await graph.invoke({"topic": "tea"}, config)
    told = stopped["__interrupt__"][0]
    equal(told["value"], {"question": "Publish?", "draft": "About tea"})
    snapshot = await graph.get_state(config)
    equal((snapshot.next, snapshot.interrupts[0].value["draft"]), (("review",), "About tea"))
    equal(snapshot.interrupts[0].id, told["id"])
    done = await graph.invoke(Command(resume="no"), config)
    equal((done["decision"], done["published"]), ("no", False))


@case("RemoteGraph: interrupts of subgraphs show in the state")
async def nested(server):
    graph, config = Remote(server, "parent"), thread()
    await graph.invoke({"topic": "tea", "ask": True}, config)
    snapshot = await graph.get_state(config, subgraphs=True)
    equal(snapshot.tasks[0].state.next, ("question",))
    done = await graph.invoke(Command(resume="hot"), config)
    equal(done["log"][-1], "after: hot")


@case("RemoteGraph: a failure raises")
async def failure(server):
    try:
        await Remote(server, "boom").invoke({"message": "no luck"}, thread())
    except RemoteException as error:
        equal(error.args[0], {"error": "Error", "message": "no luck"})
        return
    raise AssertionError("it did not raise")


@case("RemoteGraph: get_graph")
async def drawing(server):
    graph = await Remote(server, "parent").get_graph(xray=True)
    assert {"__start__", "before", "after", "__end__"} <= set(graph.nodes), graph.nodes
    assert any(edge.source == "__start__" and edge.target == "before" for edge in graph.edges), graph.edges
