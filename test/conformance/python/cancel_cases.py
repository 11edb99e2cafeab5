import asyncio
from uuid import uuid4

from cases import case, equal, has, parts_of, refused
from run_cases import new_thread


async def sleeping(client, id: str) -> dict:
    run = await client.runs.create(id, "sleepy", input={"ms": 600_000})
    await until(client, run, "running")
    return run


async def until(client, run: dict, status: str) -> None:
    while (await client.runs.get(run["thread_id"], run["run_id"]))["status"] != status:
        await asyncio.sleep(0.02)


@case("cancel: with wait, the run has stopped")
async def wait(server):
    client = server.client
    id = await new_thread(client)
    run = await sleeping(client, id)
    await client.runs.cancel(id, run["run_id"], wait=True)
    has(await client.runs.get(id, run["run_id"]), status="interrupted")
    thread = await client.threads.get(id)
    equal((thread["status"], thread["error"]["error"]), ("interrupted", "UserInterrupt"))
    equal((await client.threads.get_state(id))["next"], ["sleep"])
    await refused(404, client.runs.cancel(id, run["run_id"]))
    await refused(404, client.runs.cancel(id, str(uuid4())))


@case("cancel: without wait, its stream closes")
async def at_once(server):
    client = server.client
    id = await new_thread(client)
    run = await sleeping(client, id)
    stream = asyncio.create_task(parts_of(client.runs.join_stream(id, run["run_id"])))
    await asyncio.sleep(0.2)
    equal(await client.runs.cancel(id, run["run_id"]), None)
    parts = await asyncio.wait_for(stream, 90)
    equal([part.event for part in parts if part.event == "error"], [])
    await until(client, run, "interrupted")


@case("cancel: rollback removes the run and its changes")
async def rollback(server):
    client = server.client
    id = await new_thread(client)
    await client.runs.wait(id, "echo", input={"text": "before"})
    before, thread = await client.threads.get_state(id), await client.threads.get(id)
    run = await client.runs.create(id, "steps", input={"steps": 10_000, "delay_ms": 20})
    await until(client, run, "running")
    await client.runs.cancel(id, run["run_id"], wait=True, action="rollback")
    await refused(404, client.runs.get(id, run["run_id"]))
    equal((await client.threads.get_state(id))["checkpoint"], before["checkpoint"])
    has(await client.threads.get(id), status="idle", values=before["values"], metadata=thread["metadata"])


@case("cancel: a pending run")
async def pending(server):
    client = server.client
    id = await new_thread(client)
    first = await sleeping(client, id)
    queued = await client.runs.create(id, "echo", input={"text": "never"})
    await client.runs.cancel(id, queued["run_id"], wait=True)
    has(await client.runs.get(id, queued["run_id"]), status="interrupted")
    has(await client.threads.get(id), status="busy")
    await client.runs.cancel(id, first["run_id"], wait=True)
    late = await client.runs.create(id, "echo", input={"text": "late"}, after_seconds=600)
    await client.runs.cancel(id, late["run_id"], wait=True)
    has(await client.runs.get(id, late["run_id"]), status="interrupted")
    assert (await client.threads.get(id))["status"] != "busy"


@case("cancel_many: by thread and ids")
async def many(server):
    client = server.client
    id = await new_thread(client)
    runs = [await client.runs.create(id, "sleepy", input={"ms": 600_000}) for _ in range(3)]
    await client.runs.cancel_many(thread_id=id, run_ids=[run["run_id"] for run in runs[:2]])
    for run in runs[:2]:
        has(await client.runs.get(id, run["run_id"]), status="interrupted")
    await client.runs.cancel_many(thread_id=id, run_ids=[runs[2]["run_id"]], action="rollback")
    await refused(404, client.runs.get(id, runs[2]["run_id"]))
    await refused(404, client.runs.cancel_many(thread_id=id, run_ids=[runs[0]["run_id"]]))


@case("cancel_many: by status, and what is refused")
async def by_status(server):
    client = server.client
    id = await new_thread(client)
    running = await sleeping(client, id)
    queued = await client.runs.create(id, "echo", input={"text": "never"})
    await client.runs.cancel_many(status="pending")
    has(await client.runs.get(id, queued["run_id"]), status="interrupted")
    has(await client.runs.get(id, running["run_id"]), status="running")
    await client.runs.cancel_many(status="all")
    has(await client.runs.get(id, running["run_id"]), status="interrupted")
    await refused(404, client.runs.cancel_many(status="running"))
    await refused(422, client.runs.cancel_many(status="asleep"))
    await refused(422, client.runs.cancel_many(thread_id=id, run_ids=["not-a-uuid"]))


@case("cancel: deleting a run or a thread stops it")
async def deleted(server):
    client = server.client
    id = await new_thread(client)
    run = await sleeping(client, id)
    await client.runs.delete(id, run["run_id"])
    await refused(404, client.runs.get(id, run["run_id"]))
    has(await client.threads.get(id), status="idle")
    await sleeping(client, id)
    await client.threads.delete(id)
    await refused(404, client.threads.get(id))


@case("cancel: on_disconnect and cancel_on_disconnect")
async def disconnect(server):
    client = server.client
    id = await new_thread(client)
    stream = aiter(client.runs.stream(id, "sleepy", input={"ms": 600_000}, on_disconnect="cancel"))
    run_id = (await anext(stream)).data["run_id"]
    await stream.aclose()
    await until(client, {"thread_id": id, "run_id": run_id}, "interrupted")
    run = await client.runs.create(id, "steps", input={"steps": 10_000, "delay_ms": 20})
    await until(client, run, "running")
    stream = aiter(client.runs.join_stream(id, run["run_id"], cancel_on_disconnect=True))
    await anext(stream)
    await stream.aclose()
    await until(client, run, "interrupted")
