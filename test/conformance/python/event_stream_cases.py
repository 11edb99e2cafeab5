import asyncio
from uuid import uuid4

from cases import case, equal, parts_of

HUMAN = {"type": "human", "content": "hi", "id": "h1"}


def open_thread(server, assistant: str, thread_id: str | None = None):
    # The event stream has a client object of its own, which cases for both kinds of clients cannot share.
    return server.raw.threads.stream(thread_id or str(uuid4()), assistant_id=assistant)


async def within(seconds: float, work):
    return await asyncio.wait_for(work, seconds)


@case("event stream: a new thread, its states and its output")
async def values(server):
    async with open_thread(server, "steps") as thread:
        started = await thread.run.start(input={"steps": 2})
        assert started["run_id"]
        seen = [state["done"] async for state in thread.values if "done" in state]
        # The client begins with the state as it finds it, which may have come far by then.
        equal(seen[-3:], [[], [1], [1, 2]])
        assert len(seen) <= 4, seen
        output = await within(90, thread.output)
        equal((output.get("values") or output)["done"], [1, 2])


@case("event stream: messages token by token")
async def messages(server):
    async with open_thread(server, "tokens") as thread:
        await thread.run.start(input={"tokens": 4, "messages": [HUMAN]})
        # What comes for a message is handed to it while the next one is waited for.
        reading = []
        async for message in thread.messages:
            reading.append(asyncio.create_task(parts_of(message.text)))
        equal(await within(90, asyncio.gather(*reading)), [["t0", " t1", " t2", " t3"]])


@case("event stream: an interrupt is reported, and its answer continues the run")
async def interrupt(server):
    async with open_thread(server, "approval") as thread:
        await thread.run.start(input={"topic": "cats"})
        async for _ in thread.values:
            pass
        while not thread.interrupted:
            await asyncio.sleep(0.02)
        equal(len(thread.interrupts), 1)
        await thread.run.respond("yes")
        output = await within(90, thread.output)
        equal((output.get("values") or output)["decision"], "yes")


@case("event stream: tool calls with their input and output")
async def tools(server):
    async with open_thread(server, "tools") as thread:
        await thread.run.start(input={"messages": [HUMAN]})
        calls = [(call.name, call.input) async for call in thread.tool_calls]
        equal(calls, [("weather", {"city": "Kyoto"})])


@case("event stream: subgraphs are discovered")
async def subgraphs(server):
    async with open_thread(server, "parent") as thread:
        await thread.run.start(input={"topic": "x"})
        names = [child.graph_name async for child in thread.subgraphs]
        equal(names, ["child"])
