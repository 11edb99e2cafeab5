from uuid import uuid4

from cases import case, equal, has, refused


@case("assistants: create, get, delete")
async def create(server):
    assistants = server.client.assistants
    made = await assistants.create(
        "echo",
        {"tags": ["a"], "recursion_limit": 7, "configurable": {"tone": "dry"}},
        metadata={"owner": "ada", "run_id": "reserved"},
        name="Ada's",
        description="What Ada uses",
    )
    has(made, graph_id="echo", name="Ada's", description="What Ada uses", version=1, metadata={"owner": "ada"})
    has(made, config={"tags": ["a"], "recursion_limit": 7, "configurable": {"tone": "dry"}}, context={"tone": "dry"})
    equal(await assistants.get(made["assistant_id"]), made)
    equal(await assistants.delete(made["assistant_id"]), None)
    await refused(404, assistants.get(made["assistant_id"]))
    await refused(404, assistants.delete(made["assistant_id"]))


@case("assistants: defaults, if_exists and what is refused")
async def defaults(server):
    assistants, id = server.client.assistants, str(uuid4())
    made = await assistants.create("echo", assistant_id=id, context={"tone": "warm"})
    has(made, assistant_id=id, name="Untitled", description=None, metadata={}, context={"tone": "warm"})
    equal(made["config"], {"configurable": {"tone": "warm"}})
    equal(await assistants.create("steps", assistant_id=id, if_exists="do_nothing"), made)
    await refused(409, assistants.create("echo", assistant_id=id))
    assert "echo" in await refused(404, assistants.create("nonesuch"))
    await refused(422, assistants.create("echo", {"configurable": {"a": 1}}, context={"b": 2}))
    await refused(422, assistants.create("echo", assistant_id="not-a-uuid"))


@case("assistants: update creates versions, set_latest restores one")
async def versions(server):
    assistants = server.client.assistants
    made = await assistants.create("echo", metadata={"a": 1, "b": 1}, name="first")
    id = made["assistant_id"]
    second = await assistants.update(
        id, graph_id="steps", metadata={"b": 2}, name="second", description="now described", context={"c": 3}
    )
    has(second, version=2, graph_id="steps", metadata={"a": 1, "b": 2}, name="second", description="now described")
    has(second, context={"c": 3}, config={"configurable": {"c": 3}}, created_at=made["created_at"])
    third = await assistants.update(id)
    has(third, version=3, name="second", context={"c": 3})
    equal([version["version"] for version in await assistants.get_versions(id)], [3, 2, 1])
    equal([version["version"] for version in await assistants.get_versions(id, limit=1, offset=1)], [2])
    equal([version["name"] for version in await assistants.get_versions(id, metadata={"b": 1})], ["first"])
    first = await assistants.set_latest(id, 1)
    has(first, version=1, graph_id="echo", name="first", description=None, metadata={"a": 1, "b": 1}, context={})
    has(await assistants.update(id, name="fourth"), version=4, graph_id="echo")
    await refused(404, assistants.set_latest(id, 99))
    await refused(404, assistants.get_versions(str(uuid4())))
    await refused(404, assistants.update(str(uuid4()), name="nobody"))


@case("assistants: search and count")
async def search(server):
    assistants, mark = server.client.assistants, str(uuid4())
    for name in ("Beta", "alpha", "gamma ray"):
        await assistants.create("echo", metadata={"mark": mark, "of": {"name": name}}, name=f"{name} {mark}")

    async def found(**query) -> list[str]:
        result = await assistants.search(metadata={"mark": mark}, **query)
        return [assistant["name"].replace(f" {mark}", "") for assistant in result]

    equal(await found(sort_by="created_at", sort_order="asc"), ["Beta", "alpha", "gamma ray"])
    equal(await found(), ["gamma ray", "alpha", "Beta"])
    equal(await found(name="GAMMA"), ["gamma ray"])
    equal(await found(graph_id="echo", limit=1, offset=2), ["Beta"])
    equal(await found(graph_id="steps"), [])
    equal(len(await assistants.search(metadata={"mark": mark, "of": {"name": "alpha"}})), 1)
    page = await assistants.search(metadata={"mark": mark}, limit=2, response_format="object")
    equal((len(page["assistants"]), page["next"]), (2, "2"))
    rest = await assistants.search(metadata={"mark": mark}, limit=2, offset=2, response_format="object")
    equal((len(rest["assistants"]), rest["next"]), (1, None))
    selected = await assistants.search(metadata={"mark": mark}, select=["name", "assistant_id"], limit=1)
    equal([sorted(assistant) for assistant in selected], [["assistant_id", "name"]])
    equal(await assistants.count(metadata={"mark": mark}), 3)
    equal(await assistants.count(name=f"beta {mark}", graph_id="echo"), 1)
    await refused(404, assistants.search(graph_id="nonesuch"))
    await refused(422, assistants.search(limit=0))
    await refused(422, assistants.search(sort_by="colour"))
    await refused(422, assistants.search(select=["colour"]))


@case("assistants: every graph has a system assistant")
async def system(server):
    assistants = server.client.assistants
    made = await assistants.search(metadata={"created_by": "system"}, graph_id="echo")
    equal(
        [(one["name"], one["version"], one["description"]) for one in made],
        [("echo", 1, "Answers with what it is given")],
    )
    equal(await assistants.get("echo"), made[0])
    equal(await assistants.get(made[0]["assistant_id"]), made[0])


@case("assistants: graph, schemas and subgraphs")
async def inspect(server):
    assistants = server.client.assistants
    graph = await assistants.get_graph("parent")
    equal({node["id"] for node in graph["nodes"]}, {"__start__", "before", "child", "after", "__end__"})
    assert {"source": "__start__", "target": "before"} in graph["edges"], graph["edges"]
    for xray in (True, 1):
        opened = await assistants.get_graph("parent", xray=xray)
        assert "child:question" in {node["id"] for node in opened["nodes"]}, opened["nodes"]
    await refused(422, assistants.get_graph("parent", xray=-1))
    schemas = await assistants.get_schemas("typed")
    equal(schemas["graph_id"], "typed")
    equal(schemas["input_schema"]["properties"]["city"]["type"], "string")
    assert "forecast" in schemas["output_schema"]["properties"], schemas["output_schema"]
    assert "unit" in schemas["context_schema"]["properties"], schemas["context_schema"]
    equal(list(await assistants.get_subgraphs("parent")), ["child"])
    equal(sorted(await assistants.get_subgraphs("parent", recurse=True)), ["child", "child|grandchild"])
    equal(list(await assistants.get_subgraphs("parent", "child")), ["child"])
    equal(await assistants.get_subgraphs("echo"), {})
    await refused(404, assistants.get_graph(str(uuid4())))
    await refused(404, assistants.get_schemas("nonesuch"))


@case("assistants: delete with delete_threads removes the threads too")
async def delete_threads(server):
    client = server.client
    made = await client.assistants.create("echo")
    runs = []
    for _ in range(2):
        thread = await client.threads.create()
        await client.runs.wait(thread["thread_id"], made["assistant_id"], input={"text": "hi"})
        runs.append(thread["thread_id"])
    other = await client.threads.create()
    await client.assistants.delete(made["assistant_id"], delete_threads=True)
    equal(await client.threads.search(ids=runs), [])
    has(await client.threads.get(other["thread_id"]), status="idle")
