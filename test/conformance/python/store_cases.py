import asyncio
from time import monotonic
from uuid import uuid4

from cases import case, equal, has, refused


def prefix() -> str:
    return f"case-{uuid4().hex}"


@case("store: put, get, delete")
async def put(server):
    store, top = server.client.store, prefix()
    equal(await store.put_item([top, "a"], key="one", value={"n": 1, "deep": {"x": [1, None, "ä\u0000"]}}), None)
    item = await store.get_item([top, "a"], key="one")
    has(item, namespace=[top, "a"], key="one", value={"n": 1, "deep": {"x": [1, None, "ä\ufffd"]}})
    await store.put_item([top, "a"], key="one", value={"n": 2})
    again = await store.get_item([top, "a"], key="one")
    has(again, value={"n": 2}, created_at=item["created_at"])
    assert again["updated_at"] > item["updated_at"], (again, item)
    equal(await store.delete_item([top, "a"], key="one"), None)
    equal(await store.get_item([top, "a"], key="one"), None)
    equal(await store.delete_item([top, "a"], key="one"), None)


@case("store: what is refused")
async def what_is_refused(server):
    store = server.client.store
    await refused(400, store.put_item([], key="one", value={}))
    await refused(422, store.put_item(["langgraph", "a"], key="one", value={}))
    await refused(422, store.put_item(["a", ""], key="one", value={}))
    await refused(422, store.put_item(["a"], key="one", value=[1]))
    await refused(422, store.put_item(["a"], key="one", value={}, ttl=-1))
    await refused(422, store.search_items(["a"], filter={"n": {"$like": "b"}}))
    await refused(422, store.search_items(["a"], limit=0))


@case("store: search filters, orders and pages")
async def search(server):
    store, top = server.client.store, prefix()
    for n, kind in enumerate(["tea", "tea", "milk"]):
        await store.put_item([top, kind], key=f"k{n}", value={"n": n, "kind": kind, "of": {"a": n, "b": 1}})

    async def found(*namespace, **query):
        items = (await store.search_items([top, *namespace], **query))["items"]
        return [item["value"]["n"] for item in items]

    equal(await found(), [2, 1, 0])
    equal(await found("tea"), [1, 0])
    equal(await found(limit=1, offset=1), [1])
    equal(await found(filter={"kind": "tea", "n": 1}), [1])
    equal(await found(filter={"of": {"a": 2}}), [2])
    for operator, expected in (
        ("$eq", [1]),
        ("$ne", [2, 0]),
        ("$gt", [2]),
        ("$gte", [2, 1]),
        ("$lt", [0]),
        ("$lte", [1, 0]),
    ):
        equal(await found(filter={"n": {operator: 1}}), expected)
    equal(await found("none"), [])
    items = (await store.search_items([top], query="ignored without an index"))["items"]
    equal([(item["score"], item["key"]) for item in items], [(None, "k2"), (None, "k1"), (None, "k0")])
    assert len((await store.search_items([]))["items"]) >= 3
    await store.put_item([top, "tea"], key="k0", value={"n": 0, "kind": "tea", "of": {}})
    equal(await found(), [0, 2, 1])


@case("store: namespaces")
async def namespaces(server):
    store, top = server.client.store, prefix()
    for path in (["a", "x"], ["a", "y"], ["b", "x"], ["b", "x", "deep"]):
        await store.put_item([top, *path], key="k", value={})

    async def listed(**query):
        found = (await store.list_namespaces(**{"prefix": [top], **query}))["namespaces"]
        return sorted(namespace[1:] for namespace in found)

    equal(await listed(), [["a", "x"], ["a", "y"], ["b", "x"], ["b", "x", "deep"]])
    equal(await listed(prefix=[top, "a"]), [["a", "x"], ["a", "y"]])
    equal(await listed(prefix=[top, "*", "x"]), [["a", "x"], ["b", "x"], ["b", "x", "deep"]])
    equal(await listed(suffix=["x"]), [["a", "x"], ["b", "x"]])
    equal(await listed(suffix=["x", "*"]), [["b", "x", "deep"]])
    equal(await listed(max_depth=2), [["a"], ["b"]])
    pages = [await listed(limit=3), await listed(limit=3, offset=3)]
    equal(sorted(pages[0] + pages[1]), await listed())


@case("store: ttl")
async def ttl(server):
    store, top = server.client.store, prefix()
    await store.put_item([top], key="short", value={}, ttl=0.01)
    await store.put_item([top], key="long", value={}, ttl=10, index=False)
    assert await store.get_item([top], key="long", refresh_ttl=False)
    while not await outlived_its_ttl(store, top):
        pass
    while await store.get_item([top], key="short", refresh_ttl=False):
        await asyncio.sleep(0.05)
    found = (await store.search_items([top], refresh_ttl=False))["items"]
    equal(sorted({item["key"] for item in found} - {"kept"}), ["long"])


async def outlived_its_ttl(store, top: str) -> bool:
    """Reads an item for longer than its ttl; False where a read came too late to keep it, which proves nothing."""
    seconds, kept = 1.2, monotonic()
    await store.put_item([top], key="kept", value={}, ttl=seconds / 60)
    for _ in range(4):
        await asyncio.sleep(seconds / 3)
        asked = monotonic()
        item = await store.get_item([top], key="kept", refresh_ttl=True)
        if not item and monotonic() - kept > seconds:
            return False
        assert item
        kept = asked
    return True


@case("store: index is taken as it comes")
async def index(server):
    store, top = server.client.store, prefix()
    for key, paths in (("some", ["text", "list[*]"]), ("none", False)):
        await store.put_item([top], key=key, value={"text": "tea", "list": ["a"]}, index=paths)
        has(await store.get_item([top], key=key), value={"text": "tea", "list": ["a"]})


@case("store: graphs and clients share it")
async def shared(server):
    client, user = server.client, f"user-{uuid4().hex}"
    await client.store.put_item(["memories", user], key="old", value={"text": "told by the client"})
    answer = await client.runs.wait(
        None, "stateful", input={"remember": "told by the graph"}, context={"user_id": user}
    )
    equal(answer["memories"], ["told by the client", "told by the graph"])
    item = await client.store.get_item(["memories", user], key="told by the graph")
    equal(item["value"], {"text": "told by the graph"})
