import asyncio
from uuid import uuid4

from cases import case, equal, events_of, has, parts_of, refused
from cutting_proxy import cutting_proxy
from held_steps import held_steps
from run_cases import new_thread


async def streamed(client, graph: str, mode, **options) -> list:
    """What a run on a thread of its own streams; the first part must tell of the run."""
    id, told = await new_thread(client), []
    stream = client.runs.stream(id, graph, stream_mode=mode, on_run_created=told.append, **options)
    parts = await parts_of(stream)
    equal((parts[0].event, parts[0].data), ("metadata", {"run_id": told[0]["run_id"], "attempt": 1}))
    equal(told[0]["thread_id"], id)
    has(await client.runs.get(id, told[0]["run_id"]), status="success")
    return [part for part in parts[1:] if part.event != "end"]


@case("stream: values and updates")
async def values(server):
    parts = await streamed(server.client, "steps", ["values", "updates"], input={"steps": 2})
    equal([data["done"] for data in events_of(parts, "values")], [[], [1], [1, 2]])
    equal(events_of(parts, "updates"), [{"step": {"done": [1]}}, {"step": {"done": [2]}}])
    equal([part.event for part in await streamed(server.client, "steps", "values", input={"steps": 1})], ["values"] * 2)


@case("stream: messages-tuple sends each token once")
async def message_tuples(server):
    parts = await streamed(server.client, "tokens", "messages-tuple", input={"tokens": 5})
    equal({part.event for part in parts}, {"messages"})
    chunks = [part.data[0] for part in parts]
    equal([chunk["content"] for chunk in chunks if chunk["content"]], ["t0", " t1", " t2", " t3", " t4"])
    equal(len({chunk["id"] for chunk in chunks}), 1)
    equal({chunk["type"] for chunk in chunks} - {"AIMessageChunk", "ai"}, set())
    has(parts[0].data[1], langgraph_node="model", langgraph_step=1)


@case("stream: messages accumulate")
async def messages(server):
    parts = await streamed(server.client, "tokens", "messages", input={"tokens": 3})
    equal(parts[0].event, "messages/metadata")
    grown = [data[0]["content"] for data in events_of(parts, "messages/partial")]
    equal([text for text in grown if text], ["t0", "t0 t1", "t0 t1 t2"])
    whole = await streamed(
        server.client, "echo", "messages", input={"messages": [{"type": "human", "content": "hi", "id": "m"}]}
    )
    equal([data[0]["content"] for data in events_of(whole, "messages/complete")][-1], "echo: hi")


@case("stream: custom, tasks, checkpoints, debug and events")
async def others(server):
    custom = await streamed(server.client, "tokens", "custom", input={"events": 3})
    equal([(part.event, part.data["index"]) for part in custom], [("custom", 0), ("custom", 1), ("custom", 2)])
    tasks = events_of(await streamed(server.client, "steps", "tasks", input={"steps": 1}), "tasks")
    equal((tasks[0]["name"], tasks[1]["id"], tasks[1]["error"]), ("step", tasks[0]["id"], None))
    checkpoints = events_of(await streamed(server.client, "steps", "checkpoints", input={"steps": 1}), "checkpoints")
    equal([(one["metadata"]["source"], one["next"]) for one in checkpoints][-1], ("loop", []))
    debug = events_of(await streamed(server.client, "steps", "debug", input={"steps": 1}), "debug")
    assert {"checkpoint", "task", "task_result"} <= {one["type"] for one in debug}, debug
    events = events_of(await streamed(server.client, "tokens", ["events"], input={"tokens": 2}), "events")
    assert {"on_chain_start", "on_chat_model_stream", "on_chain_end"} <= {one["event"] for one in events}


@case("stream: subgraphs carry their namespace")
async def subgraphs(server):
    parts = await streamed(
        server.client, "parent", ["updates", "values"], input={"topic": "tea"}, stream_subgraphs=True
    )
    names = {part.event.split(":")[0] for part in parts}
    assert {"updates", "values", "updates|child", "values|child"} <= names, names
    parts = await streamed(server.client, "parent", "updates", input={"topic": "tea"})
    equal([list(part.data) for part in parts], [["before"], ["child"], ["after"]])


@case("stream: an interrupt shows in updates and in values")
async def interrupted(server):
    client = server.client
    for modes in (["updates", "values"], ["values"], ["updates"]):
        parts = await parts_of(
            client.runs.stream(await new_thread(client), "approval", input={"topic": "tea"}, stream_mode=modes)
        )
        told = [part for part in parts if isinstance(part.data, dict) and "__interrupt__" in part.data]
        equal([part.event for part in told], modes)
        equal({part.data["__interrupt__"][0]["value"]["question"] for part in told}, {"Publish?"})


@case("stream: a failure is its last event")
async def failed(server):
    client = server.client
    parts = await parts_of(client.runs.stream(await new_thread(client), "boom", input={"message": "no luck"}))
    equal((parts[-1].event, parts[-1].data), ("error", {"error": "Error", "message": "no luck"}))
    await refused(422, parts_of(client.runs.stream(await new_thread(client), "nonesuch")))
    await refused(404, parts_of(client.runs.stream(str(uuid4()), "echo")))


@case("stream: the SDK's second form")
async def second_form(server):
    stream = server.client.runs.stream(
        None, "steps", input={"steps": 1}, stream_mode=["values", "updates"], version="v2", feedback_keys=["useful"]
    )
    parts = await parts_of(stream)
    equal([part["data"]["done"] for part in parts if part["type"] == "values"], [[], [1]])
    equal({type(part["ns"]) for part in parts}, {list})


@case("join_stream: replays a resumable run, also from the middle and filtered")
async def join(server):
    client = server.client
    id = await new_thread(client)
    parts = await parts_of(
        client.runs.stream(id, "steps", input={"steps": 3}, stream_mode=["values", "updates"], stream_resumable=True)
    )
    run_id = parts[0].data["run_id"]
    seen = [(part.id, part.event) for part in parts if part.event != "end"]
    assert all(id for id, _ in seen), seen

    async def joined(**options):
        stream = client.runs.join_stream(id, run_id, **options)
        return [(part.id, part.event) for part in await parts_of(stream) if part.event != "end"]

    equal(await joined(last_event_id="-1"), seen)
    equal(await joined(last_event_id=seen[2][0]), seen[3:])
    updates = [entry for entry in seen if entry[1] in ("updates", "metadata")]
    equal(await joined(last_event_id="-", stream_mode="updates"), updates)
    equal(await joined(last_event_id="-", stream_mode=["updates", "values"]), seen)
    equal(await joined(), [])
    await refused(404, parts_of(client.runs.join_stream(id, str(uuid4()))))
    await refused(422, parts_of(client.runs.join_stream(id, run_id, last_event_id="soon")))


@case("join_stream: follows a run under way")
async def join_live(server):
    client = server.client
    id = await new_thread(client)
    with held_steps(4) as (hold, release):
        input = {"steps": 30, "hold": hold}
        run = await client.runs.create(id, "steps", input=input, stream_mode=["values", "updates"])
        while len((await client.threads.get_state(id))["values"].get("done", [])) < 3:
            await asyncio.sleep(0.02)
        async with cutting_proxy(server.url, "/stream", cuts=0) as (proxy, url):
            stream = server.connect(url).runs.join_stream(id, run["run_id"], stream_mode=["values"])
            reading = asyncio.create_task(parts_of(stream))
            while not proxy.answered:
                await asyncio.sleep(0.02)
            release(4)
            values = events_of(await reading, "values")
    # The third may still have been on its way when the stream was opened.
    equal([data["done"] for data in values][-27:], [list(range(1, n + 1)) for n in range(4, 31)])
    assert len(values) <= 28, len(values)
    has(await client.runs.get(id, run["run_id"]), status="success")
