from uuid import uuid4

from cases import case, equal, has, refused


async def stepped(client, steps: int = 2) -> str:
    thread = await client.threads.create()
    await client.runs.wait(thread["thread_id"], "steps", input={"steps": steps})
    return thread["thread_id"]


@case("state: of a thread that never ran")
async def empty(server):
    client = server.client
    thread = await client.threads.create()
    state = await client.threads.get_state(thread["thread_id"])
    has(state, values={}, next=[], tasks=[], metadata=None, created_at=None, checkpoint=None, parent_checkpoint=None)
    equal(await client.threads.get_history(thread["thread_id"]), [])
    await refused(404, client.threads.get_state(str(uuid4())))
    await refused(404, client.threads.get_history(str(uuid4())))
    await refused(400, client.threads.update_state(thread["thread_id"], {"text": "hi"}))


@case("state: latest, by id and by checkpoint")
async def read(server):
    threads = server.client.threads
    id = await stepped(server.client)
    latest = await threads.get_state(id)
    has(latest, values={"steps": 2, "done": [1, 2]}, next=[], tasks=[], interrupts=[])
    has(latest["checkpoint"], thread_id=id, checkpoint_ns="", checkpoint_id=latest["checkpoint_id"])
    has(latest["metadata"], graph_id="steps", source="loop", step=2)
    assert not [key for key in latest["metadata"] if key.startswith(("__", "langgraph_auth", "langgraph_request"))]
    before = await threads.get_state(id, checkpoint_id=latest["parent_checkpoint"]["checkpoint_id"])
    has(before, values={"steps": 2, "done": [1]}, next=["step"])
    equal([(task["name"], task["error"]) for task in before["tasks"]], [("step", None)])
    equal(await threads.get_state(id, checkpoint=before["checkpoint"]), before)
    equal((await threads.get_state(id, checkpoint={"thread_id": id, "checkpoint_ns": ""}))["values"], latest["values"])
    await refused(404, threads.get_state(id, checkpoint_id=str(uuid4())))
    await refused(422, threads.get_state(id, checkpoint_id="not-a-uuid"))
    await refused(422, threads.get_state(id, checkpoint={"checkpoint_id": "not-a-uuid"}))


@case("state: select returns the named fields")
async def select(server):
    id = await stepped(server.client)
    for options in ({}, {"checkpoint": {"checkpoint_ns": ""}}):
        state = await server.client.threads.get_state(id, select=["values.done", "next"], **options)
        equal(state, {"values": {"done": [1, 2]}, "next": []})


@case("state: history")
async def history(server):
    threads = server.client.threads
    id = await stepped(server.client, 3)
    states = await threads.get_history(id)
    equal([state["values"].get("done") for state in states], [[1, 2, 3], [1, 2], [1], [], []])
    equal([state["metadata"]["source"] for state in states], ["loop", "loop", "loop", "loop", "input"])
    equal([state["parent_checkpoint"] for state in states[:-1]], [state["checkpoint"] for state in states[1:]])
    equal(states[-1]["parent_checkpoint"], None)
    equal(await threads.get_history(id, limit=2), states[:2])
    equal(await threads.get_history(id, before=states[2]["checkpoint"]), states[3:])
    equal(await threads.get_history(id, before=states[2]["checkpoint"]["checkpoint_id"], limit=1), states[3:4])
    equal(await threads.get_history(id, metadata={"source": "input"}), states[-1:])
    equal(
        await threads.get_history(id, metadata={"step": 1}),
        [state for state in states if state["metadata"]["step"] == 1],
    )
    equal(await threads.get_history(id, checkpoint={"checkpoint_ns": ""}, limit=1), states[:1])
    await refused(422, threads.get_history(id, limit=0))
    await refused(422, threads.get_history(id, before="not-a-uuid"))


@case("state: update as a node, in a list, and back in time")
async def update(server):
    threads = server.client.threads
    id = await stepped(server.client)
    answer = await threads.update_state(id, {"done": [9]}, as_node="step")
    has(answer["checkpoint"], thread_id=id, checkpoint_ns="")
    state = await threads.get_state(id)
    equal(state["values"]["done"], [1, 2, 9])
    equal({"checkpoint_map": None, **answer["checkpoint"]}, state["checkpoint"])
    equal(state["metadata"]["source"], "update")
    has(await threads.get(id), status="idle", values={"steps": 2, "done": [1, 2, 9]})
    past = (await threads.get_history(id, limit=10))[-2]
    await threads.update_state(id, {"done": [7]}, as_node="step", checkpoint=past["checkpoint"])
    forked = await threads.get_state(id)
    equal((forked["values"]["done"], forked["next"]), ([7], ["step"]))
    equal(forked["parent_checkpoint"], past["checkpoint"])
    has(await threads.get(id), status="interrupted")
    await threads.update_state(id, None, as_node="__end__")
    equal((await threads.get_state(id))["next"], [])
    has(await threads.get(id), status="idle")
    await threads.update_state(id, {"steps": 5}, as_node="step", checkpoint_id=past["checkpoint"]["checkpoint_id"])
    equal((await threads.get_state(id))["values"], {"steps": 5, "done": []})
    await refused(400, threads.update_state(id, {"done": [1]}, as_node="nonesuch"))


@case("state: several writes of one node at once")
async def update_list(server):
    threads = server.client.threads
    id = await stepped(server.client)
    await threads.update_state(id, [{"done": [8]}, {"done": [9]}], as_node="step")
    equal((await threads.get_state(id))["values"]["done"], [1, 2, 8, 9])


@case("state: refused while a run is in flight")
async def busy(server):
    client = server.client
    thread = await client.threads.create()
    run = await client.runs.create(thread["thread_id"], "sleepy", input={"ms": 600_000})
    await refused(409, client.threads.update_state(thread["thread_id"], {"ms": 1}, as_node="sleep"))
    await client.runs.cancel(thread["thread_id"], run["run_id"], wait=True)


@case("state: of interrupted subgraphs")
async def subgraphs(server):
    client = server.client
    id = (await client.threads.create())["thread_id"]
    await client.runs.wait(id, "parent", input={"topic": "tea", "ask": True})
    state = await client.threads.get_state(id, subgraphs=True)
    equal(state["next"], ["child"])
    child = state["tasks"][0]["state"]
    equal((child["next"], child["values"]["topic"]), (["question"], "tea"))
    equal(child["tasks"][0]["interrupts"][0]["value"], {"question": "What about tea?"})
    bare = await client.threads.get_state(id)
    equal(bare["tasks"][0]["state"], None)
    equal(bare["tasks"][0]["checkpoint"]["checkpoint_ns"], child["checkpoint"]["checkpoint_ns"])
    inner = await client.threads.get_state(id, checkpoint=bare["tasks"][0]["checkpoint"])
    equal((inner["values"], inner["next"]), (child["values"], ["question"]))
    await client.threads.update_state(id, {"answer": "told"}, as_node="question", checkpoint=child["checkpoint"])
    done = await client.runs.wait(id, "parent", input=None)
    equal(done["log"][-1], "after: told")
