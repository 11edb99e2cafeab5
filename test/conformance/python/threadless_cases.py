from cases import case, equal, has, refused


@case("runs: without a thread")
async def threadless(server):
    client = server.client
    told = []
    answer = await client.runs.wait(None, "echo", input={"text": "hi"}, on_run_created=told.append)
    equal((answer["echo"], told[0]["thread_id"]), ("hi", None))
    run = await client.runs.create(None, "echo", input={"text": "hi"}, on_completion="keep")
    equal((await client.runs.join(run["thread_id"], run["run_id"]))["echo"], "hi")
    has(await client.threads.get(run["thread_id"]), status="idle")
    equal(await client.threads.search(ids=[run["thread_id"]]), [])
    equal(
        (run["kwargs"]["temporary"], (await client.runs.get(run["thread_id"], run["run_id"]))["status"]),
        (False, "success"),
    )
    gone = await client.runs.create(None, "echo", input={"text": "hi"})
    equal(gone["kwargs"]["temporary"], True)


@case("runs: create_batch returns runs in order, all or nothing")
async def batch(server):
    client = server.client
    payloads = [{"assistant_id": "echo", "input": {"text": str(n)}, "metadata": {"n": n}} for n in range(4)]
    runs = await client.runs.create_batch(payloads)
    equal([run["metadata"]["n"] for run in runs], [0, 1, 2, 3])
    for n, run in enumerate(runs):
        equal((await client.runs.join(run["thread_id"], run["run_id"]))["echo"], str(n))
    await refused(422, client.runs.create_batch([]))
    await refused(422, client.runs.create_batch([*payloads, {"assistant_id": "nonesuch"}]))
