import asyncio
from contextlib import aclosing, asynccontextmanager

from cases import case, equal, events_of, refused
from cutting_proxy import cutting_proxy


class Watch:
    """Reads a thread's stream, which ends only with the thread."""

    def __init__(self, client, id: str, **options):
        self._client, self._id, self.parts = client, id, []
        self._task = asyncio.create_task(self._read(client.threads.join_stream(id, **options)))

    async def _read(self, stream):
        async for part in stream:
            self.parts.append(part)

    async def until(self, enough):
        while not enough(self.parts):
            if self._task.done():
                raise AssertionError(f"the stream ended with {self.parts}") from self._task.exception()
            await asyncio.sleep(0.02)
        return self.parts

    async def ended(self):
        await asyncio.wait_for(self._task, 90)


@asynccontextmanager
async def watching(server, id: str, **options):
    """A watch whose stream is open: what happens from now on is in it."""
    async with cutting_proxy(server.url, "/stream", cuts=0) as (proxy, url):
        watch = Watch(server.connect(url), id, **options)
        while not proxy.answered:
            await asyncio.sleep(0.02)
        yield watch


def runs_done(count: int):
    return lambda parts: (
        len([data for data in events_of(parts, "metadata") if data.get("status") == "run_done"]) == count
    )


@case("thread stream: all outputs of consecutive runs")
async def runs(server):
    client = server.client
    id = (await client.threads.create())["thread_id"]
    async with watching(server, id) as watch:
        for steps in (1, 2):
            await client.runs.wait(id, "steps", input={"steps": steps}, config={"recursion_limit": 50})
        parts = await watch.until(runs_done(2))
        equal(parts[0].event, "metadata")
        assert parts[0].data["run_id"] and parts[0].data["attempt"] == 1, parts[0]
        equal([values["done"] for values in events_of(parts, "values")][-1], [1, 2])
        assert all(part.id for part in parts), parts
        ids = [tuple(map(int, part.id.split("-"))) for part in parts]
        equal(ids, sorted(set(ids)))
        await client.threads.delete(id)
        await watch.ended()


@case("thread stream: lifecycle only")
async def lifecycle(server):
    client = server.client
    id = (await client.threads.create())["thread_id"]
    async with watching(server, id, stream_mode="lifecycle") as watch:
        run_ids = []
        for _ in range(2):
            run = await client.runs.create(id, "echo", input={"text": "hi"})
            await client.runs.join(id, run["run_id"])
            run_ids.append(run["run_id"])
        parts = await watch.until(runs_done(2))
        equal({part.event for part in parts}, {"metadata"})
        equal([part.data["run_id"] for part in parts], [run_ids[0], run_ids[0], run_ids[1], run_ids[1]])
        await client.threads.delete(id)
        await watch.ended()


@case("thread stream: state updates outside of runs")
async def state_updates(server):
    client = server.client
    id = (await client.threads.create())["thread_id"]
    await client.runs.wait(id, "echo", input={"text": "hi"})
    async with watching(server, id, stream_mode=["state_update", "lifecycle"]) as watch:
        await client.threads.update_state(id, {"echo": "changed"}, as_node="answer")
        parts = await watch.until(lambda parts: len(parts) == 1)
        equal(parts[0].event, "state_update")
        equal((parts[0].data["thread_id"], parts[0].data["state"]["values"]["echo"]), (id, "changed"))
        await client.threads.delete(id)
        await watch.ended()


@case("thread stream: last_event_id replays later events")
async def replay(server):
    client = server.client
    id = (await client.threads.create())["thread_id"]
    async for _ in client.runs.stream(id, "steps", input={"steps": 3}, stream_resumable=True):
        pass
    whole = Watch(client, id, last_event_id="-")
    parts = await whole.until(runs_done(1))
    rest = Watch(client, id, last_event_id=parts[1].id)
    later = await rest.until(runs_done(1))
    equal([(part.id, part.event) for part in later], [(part.id, part.event) for part in parts[2:]])
    await refused(422, first(client.threads.join_stream(id, last_event_id="soon")))
    await refused(422, first(client.threads.join_stream(id, stream_mode="colour")))
    await client.threads.delete(id)
    await whole.ended()
    await rest.ended()


async def first(stream):
    async with aclosing(aiter(stream)) as parts:
        return await anext(parts)
