from uuid import uuid4

from cases import case, equal, has, refused


@case("calls: headers and params travel along")
async def passthrough(server):
    client = server.client
    run = await client.runs.create(None, "echo", input={"text": "hi"}, headers={"x-request-id": "from-python"})
    equal(run["kwargs"]["config"]["configurable"]["langgraph_request_id"], "from-python")
    made = await client.threads.create(ttl=60)
    assert "ttl" in await client.threads.get(made["thread_id"], params={"include": "ttl"})
    equal(await client.threads.update(made["thread_id"], metadata={}, headers={"prefer": "return=minimal"}), None)
    found = await client.assistants.search(graph_id="echo", headers={"x-any": "thing"}, params={"unknown": "1"})
    assert found, found


@case("calls: the client's own requests")
async def own_requests(server):
    http = server.client.http
    equal(await http.get("/ok", params={"check_db": "1"}), {"ok": True})
    thread = await http.post("/threads", json={"metadata": {"a": 1}})
    path = f"/threads/{thread['thread_id']}"
    has(await http.patch(path, json={"metadata": {"b": 2}}), metadata={"a": 1, "b": 2})
    namespace = ["raw", str(uuid4())]
    equal(await http.put("/store/items", json={"namespace": namespace, "key": "k", "value": {"x": 1}}), None)
    item = await http.get("/store/items", params={"namespace": ".".join(namespace), "key": "k"})
    has(item, value={"x": 1})
    await http.delete("/store/items", json={"namespace": namespace, "key": "k"})
    equal(await http.get("/store/items", params={"namespace": ".".join(namespace), "key": "k"}), None)
    await http.delete(path)
    await refused(404, http.get(path))
    parts = [part async for part in http.stream("/runs/stream", "POST", json={"assistant_id": "echo", "input": {}})]
    equal((parts[0].event, parts[-1].event), ("metadata", "values"))


@case("calls: strict_resume is taken")
async def strict_resume(server):
    client = server.client
    id = (await client.threads.create())["thread_id"]
    await client.runs.wait(id, "approval", input={"topic": "tea"})
    answer = await client.runs.wait(id, "approval", command={"resume": "yes"}, strict_resume=True)
    has(answer, decision="yes", published=True)
