from uuid import uuid4

from cases import case, equal, has, refused

FIELDS = {
    "run_id", "thread_id", "assistant_id", "metadata", "status", "kwargs", "multitask_strategy", "created_at",
    "updated_at", "langsmith_session_name",
}  # fmt: skip


async def new_thread(client) -> str:
    return (await client.threads.create())["thread_id"]


@case("runs: create, join, get, list, delete")
async def create(server):
    client = server.client
    id, told = await new_thread(client), []
    run = await client.runs.create(id, "steps", input={"steps": 2}, metadata={"mark": 1}, on_run_created=told.append)
    equal(set(run), FIELDS)
    has(run, thread_id=id, status="pending", multitask_strategy="enqueue", langsmith_session_name=None)
    equal((run["metadata"]["mark"], run["metadata"]["assistant_id"]), (1, run["assistant_id"]))
    has(run["kwargs"], input={"steps": 2}, command=None, stream_mode=["values"], temporary=False, resumable=False)
    equal(told, [{"run_id": run["run_id"], "thread_id": id}])
    assert run["run_id"][14] == "7", run["run_id"]
    equal(await client.runs.join(id, run["run_id"]), {"steps": 2, "done": [1, 2]})
    has(await client.runs.get(id, run["run_id"]), status="success", created_at=run["created_at"])
    has(await client.threads.get(id), status="idle", values={"steps": 2, "done": [1, 2]})
    has((await client.threads.get(id))["metadata"], graph_id="steps", assistant_id=run["assistant_id"])
    equal([one["run_id"] for one in await client.runs.list(id)], [run["run_id"]])
    equal(await client.runs.delete(id, run["run_id"]), None)
    await refused(404, client.runs.get(id, run["run_id"]))
    equal(await client.threads.get_history(id), [])
    await refused(404, client.runs.delete(id, run["run_id"]))


@case("runs: list filters, selects and pages, newest first")
async def list_runs(server):
    client = server.client
    id = await new_thread(client)
    made = [(await client.runs.create(id, "echo", input={"text": str(n)}))["run_id"] for n in range(3)]
    for run_id in made:
        await client.runs.join(id, run_id)
    failed = await client.runs.create(id, "boom", input={})
    await client.runs.join(id, failed["run_id"])
    equal([run["run_id"] for run in await client.runs.list(id)], [failed["run_id"], *reversed(made)])
    equal([run["run_id"] for run in await client.runs.list(id, limit=1, offset=1)], [made[2]])
    equal([run["run_id"] for run in await client.runs.list(id, status="error")], [failed["run_id"]])
    equal(await client.runs.list(id, status="success", select=["status"], limit=1), [{"status": "success"}])
    await refused(404, client.runs.list(str(uuid4())))
    await refused(422, client.runs.list(id, limit=0))
    await refused(422, client.runs.list(id, status="asleep"))
    await refused(422, client.runs.list(id, select=["colour"]))


@case("runs: wait returns the last state")
async def wait(server):
    client = server.client
    id, told = await new_thread(client), []
    answer = await client.runs.wait(
        id, "echo", input={"messages": [{"role": "user", "content": "hello", "id": "m1"}]}, on_run_created=told.append
    )
    equal(
        [(message["type"], message["content"]) for message in answer["messages"]],
        [("human", "hello"), ("ai", "echo: hello")],
    )
    equal(answer["messages"][1]["id"], "echo-m1")
    equal((told[0]["thread_id"], len(told)), (id, 1))
    equal(await client.runs.join(id, told[0]["run_id"]), answer)


@case("runs: wait and join tell of a failure")
async def failure(server):
    client = server.client
    id = await new_thread(client)
    scrubbed = await client.runs.wait(id, "boom", input={}, raise_error=False)
    assert "hunter2" not in str(scrubbed) and "internal" not in str(scrubbed), scrubbed
    thread = await client.threads.get(id)
    has(thread, status="error", error=scrubbed["__error__"])
    run = (await client.runs.list(id))[0]
    equal((run["status"], await client.runs.join(id, run["run_id"])), ("error", scrubbed))
    answer = await client.runs.wait(id, "boom", input={"message": "no luck"}, raise_error=False)
    equal(answer, {"__error__": {"error": "Error", "message": "no luck"}})
    try:
        await client.runs.wait(id, "boom", input={"kind": "type-error", "message": "wrong"})
        raise AssertionError("wait did not raise")
    except Exception as error:
        equal(str(error), "TypeError: wrong")
    hidden = await client.runs.wait(id, "boom", input={"kind": "custom", "message": "secret"}, raise_error=False)
    equal(hidden["__error__"], {"error": "DriverFailure", "message": "An internal error occurred"})


@case("runs: an interrupt, and its answer")
async def interrupt(server):
    client = server.client
    id = await new_thread(client)
    answer = await client.runs.wait(id, "approval", input={"topic": "tea"})
    equal([one["value"] for one in answer["__interrupt__"]], [{"question": "Publish?", "draft": "About tea"}])
    equal((await client.runs.list(id))[0]["status"], "interrupted")
    thread = await client.threads.get(id)
    equal((thread["status"], list(thread["interrupts"].values())), ("interrupted", [answer["__interrupt__"]]))
    done = await client.runs.wait(id, "approval", command={"resume": "no"})
    has(done, decision="no", published=False)
    has(await client.threads.get(id), status="idle", interrupts={})
    again = await client.runs.wait(id, "approval", input={"topic": "milk"})
    resumed = await client.runs.wait(id, "approval", command={"resume": {again["__interrupt__"][0]["id"]: "yes"}})
    has(resumed, decision="yes", published=True, draft="About milk")


@case("runs: commands with update and goto")
async def command(server):
    client = server.client
    id = await new_thread(client)
    await client.runs.wait(id, "approval", input={"topic": "tea"})
    done = await client.runs.wait(id, "approval", command={"update": {"decision": False}, "goto": "publish"})
    has(done, decision=False, published=False)
    await refused(400, client.runs.wait(None, "approval", command={"resume": "yes"}))


@case("runs: what is refused, before anything is stored")
async def what_is_refused(server):
    client = server.client
    id = await new_thread(client)
    await refused(422, client.runs.create(id, "nonesuch"))
    await refused(404, client.runs.create(id, str(uuid4())))
    await refused(404, client.runs.create(str(uuid4()), "echo"))
    await refused(422, client.runs.create("not-a-uuid", "echo"))
    await refused(422, client.runs.create(id, "echo", stream_mode="tools"))
    await refused(422, client.runs.create(id, "echo", multitask_strategy="hope"))
    await refused(422, client.runs.create(id, "echo", config={"configurable": {"a": 1}}, context={"b": 2}))
    await refused(404, client.runs.get(id, str(uuid4())))
    await refused(404, client.runs.join(id, str(uuid4())))
    equal(await client.runs.list(id), [])
    has(await client.threads.get(id), status="idle")
