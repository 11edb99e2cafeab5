from uuid import uuid4

from cases import case, equal, has, refused

FIELDS = {
    "thread_id", "created_at", "updated_at", "state_updated_at", "metadata", "status", "config", "values",
    "interrupts", "error",
}  # fmt: skip


@case("threads: create, get, delete")
async def create(server):
    threads = server.client.threads
    made = await threads.create(metadata={"owner": "ada", "thread_id": "reserved"}, graph_id="echo")
    equal(set(made), FIELDS)
    has(made, status="idle", config={}, values=None, interrupts={}, error=None)
    equal(made["metadata"], {"owner": "ada", "graph_id": "echo"})
    assert made["thread_id"][14] == "7", made["thread_id"]
    equal(await threads.get(made["thread_id"]), made)
    equal(await threads.delete(made["thread_id"]), None)
    await refused(404, threads.get(made["thread_id"]))
    await refused(404, threads.delete(made["thread_id"]))


@case("threads: custom ids, if_exists and refusals")
async def own_id(server):
    threads, id = server.client.threads, str(uuid4())
    made = await threads.create(thread_id=id, metadata={"a": 1})
    has(made, thread_id=id)
    await refused(409, threads.create(thread_id=id))
    equal(await threads.create(thread_id=id, metadata={"a": 2}, if_exists="do_nothing"), made)
    await refused(422, threads.create(thread_id="not-a-uuid"))
    await refused(422, threads.get("not-a-uuid"))


@case("threads: an id in capitals is the same id")
async def capitals(server):
    client, id = server.client, str(uuid4())
    has(await client.threads.create(thread_id=id.upper()), thread_id=id)
    has(await client.threads.get(id.upper()), thread_id=id)
    equal((await client.runs.wait(id.upper(), "echo", input={"text": "hi"}))["echo"], "hi")


@case("threads: ttl")
async def ttl(server):
    threads = server.client.threads
    made = await threads.create(ttl=60)
    assert "ttl" not in made, made
    got = (await threads.get(made["thread_id"], include=["ttl"]))["ttl"]
    has(got, strategy="delete", ttl_minutes=60)
    assert got["expires_at"] > made["created_at"], (got, made)
    await threads.update(made["thread_id"], metadata={}, ttl={"ttl": 5, "strategy": "keep_latest"})
    has((await threads.get(made["thread_id"], include=["ttl"]))["ttl"], strategy="keep_latest", ttl_minutes=5)
    equal((await threads.get((await threads.create())["thread_id"], include=["ttl"]))["ttl"], None)
    await refused(422, threads.create(ttl=-1))
    await refused(422, threads.get(made["thread_id"], include=["colour"]))


@case("threads: update merges metadata, and returns nothing on request")
async def update(server):
    threads = server.client.threads
    made = await threads.create(metadata={"a": 1, "b": {"c": 1}})
    changed = await threads.update(made["thread_id"], metadata={"b": {"d": 2}, "e": None, "assistant_id": "reserved"})
    has(changed, metadata={"a": 1, "b": {"d": 2}, "e": None}, state_updated_at=made["state_updated_at"])
    assert changed["updated_at"] > made["updated_at"], (changed, made)
    equal(await threads.update(made["thread_id"], metadata={"a": 3}, return_minimal=True), None)
    equal((await threads.get(made["thread_id"]))["metadata"], {"a": 3, "b": {"d": 2}, "e": None})
    await refused(404, threads.update(str(uuid4()), metadata={}))


@case("threads: create with supersteps")
async def supersteps(server):
    threads = server.client.threads
    made = await threads.create(
        graph_id="steps",
        supersteps=[
            {"updates": [{"values": {"steps": 3}, "as_node": "__start__"}]},
            {"updates": [{"values": {"done": [1]}, "as_node": "step"}]},
        ],
    )
    has(made, status="interrupted", values={"steps": 3, "done": [1]})
    state = await threads.get_state(made["thread_id"])
    equal((state["values"], state["next"]), ({"steps": 3, "done": [1]}, ["step"]))
    equal(len(await threads.get_history(made["thread_id"])), 2)
    id = str(uuid4())
    bad = [{"updates": [{"values": {}, "as_node": "nonesuch"}]}]
    await refused(400, threads.create(thread_id=id, graph_id="steps", supersteps=bad))
    await refused(404, threads.get(id))


@case("threads: copy includes the history and is independent")
async def copy(server):
    client = server.client
    made = await client.threads.create(metadata={"owner": "ada"})
    await client.runs.wait(made["thread_id"], "steps", input={"steps": 2})
    copied = await client.threads.copy(made["thread_id"])
    original = await client.threads.get(made["thread_id"])
    assert copied["thread_id"] != made["thread_id"]
    has(copied, status="idle", values={"steps": 2, "done": [1, 2]}, metadata=original["metadata"], config={})
    histories = [await client.threads.get_history(id) for id in (copied["thread_id"], made["thread_id"])]
    equal([state["values"] for state in histories[0]], [state["values"] for state in histories[1]])
    await client.runs.wait(copied["thread_id"], "steps", input={"steps": 3})
    equal((await client.threads.get_state(made["thread_id"]))["values"]["done"], [1, 2])
    await refused(409, client.threads.copy(str(uuid4())))


@case("threads: prune")
async def prune(server):
    client = server.client
    ids = []
    for _ in range(3):
        ids.append((await client.threads.create())["thread_id"])
        await client.runs.wait(ids[-1], "steps", input={"steps": 2})
    equal(await client.threads.prune([ids[0], str(uuid4())]), {"pruned_count": 1})
    await refused(404, client.threads.get(ids[0]))
    equal(await client.threads.prune(ids[1:], strategy="keep_latest"), {"pruned_count": 2})
    equal(len(await client.threads.get_history(ids[1])), 1)
    equal((await client.threads.get_state(ids[1]))["values"], {"steps": 2, "done": [1, 2]})
    equal(await client.threads.prune([]), {"pruned_count": 0})
    await refused(422, client.threads.prune(ids, strategy="archive"))
