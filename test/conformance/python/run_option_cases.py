import asyncio
from uuid import uuid4

from cases import case, equal, has
from run_cases import new_thread


@case("runs: config, context and metadata come from assistant and request")
async def merged(server):
    client = server.client
    assistant = await client.assistants.create(
        "stateful",
        {"tags": ["a"], "configurable": {"user_id": str(uuid4()), "greeting": "Hi"}},
        metadata={"team": "blue"},
    )
    id = await new_thread(client)
    run = await client.runs.create(
        id,
        assistant["assistant_id"],
        input={},
        config={"tags": ["b"], "recursion_limit": 9, "configurable": {"greeting": "Ahoy", "__secret": 1}},
        metadata={"mark": 1},
    )
    equal((run["metadata"]["team"], run["metadata"]["mark"]), ("blue", 1))
    config = run["kwargs"]["config"]
    equal((sorted(config["tags"]), config["recursion_limit"]), (["a", "b"], 9))
    has(config["configurable"], greeting="Ahoy", run_id=run["run_id"], thread_id=id, graph_id="stateful")
    assert "__secret" not in config["configurable"], config
    user = assistant["context"]["user_id"]
    equal((await client.runs.join(id, run["run_id"]))["greeting"], f"Ahoy, {user}")
    told = await client.runs.wait(id, assistant["assistant_id"], input={}, context={"greeting": "Salut"})
    equal(told["greeting"], f"Salut, {user}")
    equal((await client.threads.get(id))["config"], {})


@case("runs: a factory gets the request's configuration")
async def factory(server):
    answer = await server.client.runs.wait(None, "factory", input={}, config={"configurable": {"flavour": "mint"}})
    equal(answer, {"flavour": "mint", "node": "mint"})


@case("runs: if_not_exists creates the thread, even concurrently")
async def if_not_exists(server):
    client, id = server.client, str(uuid4())
    calls = [client.runs.wait(id, "echo", input={"text": str(n)}, if_not_exists="create") for n in range(5)]
    equal(sorted(answer["echo"] for answer in await asyncio.gather(*calls)), ["0", "1", "2", "3", "4"])
    equal(len(await client.runs.list(id)), 5)


@case("runs: interrupt_before and interrupt_after, then continue")
async def breakpoints(server):
    client = server.client
    id = await new_thread(client)
    await client.runs.wait(id, "steps", input={"steps": 2}, interrupt_before=["step"])
    equal((await client.threads.get_state(id))["next"], ["step"])
    has(await client.threads.get(id), status="interrupted")
    await client.runs.wait(id, "steps", input=None, interrupt_after="*")
    equal((await client.threads.get_state(id))["values"]["done"], [1])
    equal((await client.runs.wait(id, "steps", input=None))["done"], [1, 2])


@case("runs: from a checkpoint")
async def fork(server):
    client = server.client
    id = await new_thread(client)
    await client.runs.wait(id, "steps", input={"steps": 3})
    point = (await client.threads.get_history(id))[2]["checkpoint"]
    equal((await client.threads.get_state(id, checkpoint=point))["values"]["done"], [1])
    equal((await client.runs.wait(id, "steps", checkpoint=point))["done"], [1, 2, 3])
    history = await client.threads.get_history(id)
    equal(len([state for state in history if state["parent_checkpoint"] == point]), 2)
    again = await client.runs.wait(id, "steps", input={"steps": 5}, checkpoint_id=point["checkpoint_id"])
    equal(again["done"], [1, 2, 3, 4, 5])


@case("runs: after_seconds delays a run")
async def delayed(server):
    client = server.client
    id = await new_thread(client)
    later = await client.runs.create(id, "echo", input={"text": "never"}, after_seconds=3600)
    has(await client.threads.get(id), status="busy")
    has(await client.runs.get(id, later["run_id"]), status="pending")
    await client.runs.cancel(id, later["run_id"], wait=True)
    run = await client.runs.create(id, "echo", input={"text": "late"}, after_seconds=1)
    assert run["created_at"] > run["updated_at"], run
    equal((await client.runs.join(id, run["run_id"]))["echo"], "late")


@case("runs: durability")
async def durability(server):
    client = server.client
    for durability, checkpoints in (("sync", 4), ("async", 4), ("exit", 1)):
        id = await new_thread(client)
        await client.runs.wait(id, "steps", input={"steps": 2}, durability=durability)
        equal(len(await client.threads.get_history(id)), checkpoints)
    id = await new_thread(client)
    await client.runs.wait(id, "steps", input={"steps": 2}, checkpoint_during=False)
    equal(len(await client.threads.get_history(id)), 1)


@case("runs: langsmith_tracing names the session")
async def session(server):
    client = server.client
    run = await client.runs.create(None, "echo", input={}, langsmith_tracing={"project_name": "mine"})
    equal(run["langsmith_session_name"], "mine")
