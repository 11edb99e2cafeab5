import asyncio

from cases import case, equal, has, refused
from run_cases import new_thread


@case("multitask: reject")
async def reject(server):
    client = server.client
    id = await new_thread(client)
    run = await client.runs.create(id, "sleepy", input={"ms": 600_000})
    detail = await refused(409, client.runs.create(id, "echo", input={}, multitask_strategy="reject"))
    assert detail.startswith("Thread is already running a task."), detail
    equal(len(await client.runs.list(id)), 1)
    await client.runs.cancel(id, run["run_id"], wait=True)


@case("multitask: enqueue keeps the order received")
async def enqueue(server):
    client = server.client
    id = await new_thread(client)
    runs = [await client.runs.create(id, "steps", input={"steps": n + 1, "delay_ms": 20}) for n in range(4)]
    for run in runs:
        await client.runs.join(id, run["run_id"])
    ended = [await client.runs.get(id, run["run_id"]) for run in runs]
    equal([run["status"] for run in ended], ["success"] * 4)
    times = [run["updated_at"] for run in ended]
    equal(times, sorted(times))


@case("multitask: interrupt stops runs in flight and keeps their steps")
async def interrupt(server):
    client = server.client
    id = await new_thread(client)
    first = await client.runs.create(id, "steps", input={"steps": 10_000, "delay_ms": 20})
    queued = await client.runs.create(id, "steps", input={"steps": 5})
    while not (await client.threads.get_state(id))["values"].get("done"):
        await asyncio.sleep(0.05)
    answer = await client.runs.wait(id, "steps", input={"steps": 1}, multitask_strategy="interrupt")
    assert len(answer["done"]) > 1, answer
    for run in (first, queued):
        has(await client.runs.get(id, run["run_id"]), status="interrupted")


@case("multitask: rollback removes runs in flight")
async def rollback(server):
    client = server.client
    id = await new_thread(client)
    await client.runs.wait(id, "steps", input={"steps": 1})
    first = await client.runs.create(id, "steps", input={"steps": 10_000, "delay_ms": 20})
    while len((await client.threads.get_state(id))["values"]["done"]) < 3:
        await asyncio.sleep(0.05)
    answer = await client.runs.wait(id, "steps", input={"steps": 2}, multitask_strategy="rollback")
    equal(answer["done"], [1, 2])
    await refused(404, client.runs.get(id, first["run_id"]))
    assert first["run_id"] not in str(await client.threads.get_history(id, limit=100))
