from uuid import uuid4

from cases import case, equal, refused


async def threads_marked(client, mark: str) -> list[str]:
    """Ids of an idle thread without values, a finished one and an interrupted one, in order of creation."""
    ids = []
    for graph, input in ((None, None), ("steps", {"steps": 2}), ("approval", {"topic": "tea"})):
        ids.append((await client.threads.create(metadata={"mark": mark, "n": len(ids)}))["thread_id"])
        if graph:
            await client.runs.wait(ids[-1], graph, input=input)
    return ids


@case("threads: search filters, sorts and pages")
async def search(server):
    threads, mark = server.client.threads, str(uuid4())
    ids = await threads_marked(server.client, mark)

    async def found(**query) -> list[int]:
        result = await threads.search(metadata={"mark": mark}, **query)
        return [ids.index(thread["thread_id"]) for thread in result]

    equal(await found(), [2, 1, 0])
    await threads.update(ids[0], metadata={})
    equal(await found(), [0, 2, 1])
    equal(await found(sort_by="created_at", sort_order="asc"), [0, 1, 2])
    equal(await found(sort_by="state_updated_at"), [2, 1, 0])
    equal(await found(sort_by="thread_id", limit=2), [2, 1])
    equal(await found(sort_by="created_at", limit=2, offset=2), [0])
    equal(await found(status="interrupted"), [2])
    equal(await found(status="busy"), [])
    equal(await found(values={"steps": 2}), [1])
    equal(await found(values={"done": [2]}), [1])
    equal(await found(ids=[ids[0], ids[2], str(uuid4())]), [0, 2])
    equal(len(await threads.search(metadata={"mark": mark, "n": 1})), 1)
    await refused(422, threads.search(limit=1001))
    await refused(422, threads.search(offset=-1))
    await refused(422, threads.search(ids=["not-a-uuid"]))
    await refused(422, threads.search(status="asleep"))


@case("threads: search selects and extracts")
async def extract(server):
    threads, mark = server.client.threads, str(uuid4())
    ids = await threads_marked(server.client, mark)
    selected = await threads.search(metadata={"mark": mark}, select=["thread_id", "status"])
    equal(selected[0], {"thread_id": ids[2], "status": "interrupted"})
    extracted = await threads.search(
        metadata={"mark": mark},
        select=["thread_id"],
        sort_by="created_at",
        sort_order="asc",
        extract={"last": "values.done[-1]", "first": "values.done[0]", "mark": "metadata.mark", "none": "config.a.b"},
    )
    equal([thread["extracted"]["last"] for thread in extracted], [None, 2, None])
    equal(extracted[1]["extracted"], {"last": 2, "first": 1, "mark": mark, "none": None})
    for extract in (
        {"thread_id": "values.a"},
        {"1a": "values.a"},
        {"a": "secrets.a"},
        {"a": "values..a"},
        {f"a{n}": "values.a" for n in range(11)},
    ):
        await refused(422, threads.search(extract=extract))
    await refused(422, threads.search(select=["colour"]))


@case("threads: count")
async def count(server):
    threads, mark = server.client.threads, str(uuid4())
    await threads_marked(server.client, mark)
    equal(await threads.count(metadata={"mark": mark}), 3)
    equal(await threads.count(metadata={"mark": mark}, status="interrupted"), 1)
    equal(await threads.count(metadata={"mark": mark}, values={"steps": 2}), 1)
    equal(await threads.count(metadata={"mark": str(uuid4())}), 0)
