import asyncio
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

from cases import case, equal, events_of, has, parts_of
from cutting_proxy import cutting_proxy
from run_cases import new_thread

warnings.filterwarnings("ignore", "(Reconnecting without|Request failed, attempting)")


@case("reconnect: a stream cut twice is complete")
async def stream(server):
    id = await new_thread(server.client)
    async with cutting_proxy(server.url, "/stream", after=900, cuts=2) as (proxy, url):
        client = server.connect(url)
        parts = await parts_of(
            client.runs.stream(
                id,
                "steps",
                input={"steps": 40, "delay_ms": 20},
                stream_mode=["updates"],
                stream_resumable=True,
                on_disconnect="continue",
            )
        )
        equal(proxy.cuts_left, 0)
    equal([data["step"]["done"] for data in events_of(parts, "updates")], [[n + 1] for n in range(40)])
    run_id = parts[0].data["run_id"]
    equal(
        [line.split()[:2] for line in proxy.requests if "/stream" in line],
        [["POST", f"/threads/{id}/runs/stream"], *[["GET", f"/threads/{id}/runs/{run_id}/stream"]] * 2],
    )


@case("reconnect: wait goes on by join")
async def wait(server):
    id = await new_thread(server.client)
    async with cutting_proxy(server.url, "/runs/wait", after=1) as (proxy, url):
        answer = await server.connect(url).runs.wait(id, "sleepy", input={"ms": 2_500})
        equal((answer, proxy.cuts_left), ({"ms": 2_500, "slept": 2_500}, 0))
    equal(len(await server.client.runs.list(id)), 1)


@case("reconnect: a threadless wait goes on by join")
async def threadless(server):
    async with cutting_proxy(server.url, "/runs/wait", after=1) as (proxy, url):
        answer = await server.connect(url).runs.wait(None, "sleepy", input={"ms": 2_500})
        equal((answer["slept"], proxy.cuts_left), (2_500, 0))
        assert any("/join" in line for line in proxy.requests), proxy.requests


@case("reconnect: join survives a cut")
async def join(server):
    client = server.client
    id = await new_thread(client)
    run = await client.runs.create(id, "sleepy", input={"ms": 2_500})
    async with cutting_proxy(server.url, "/join", after=1) as (proxy, url):
        answer = await server.connect(url).runs.join(id, run["run_id"])
        equal((answer["slept"], proxy.cuts_left), (2_500, 0))
    has(await client.runs.get(id, run["run_id"]), status="success")


@case("reconnect: cancel with wait goes on by join")
async def cancel(server):
    client = server.client
    id = await new_thread(client)
    with TemporaryDirectory(prefix="slipway-gate-") as folder:
        gate = Path(folder, "open")
        run = await client.runs.create(id, "stubborn", input={"ms": 0, "until": str(gate)})
        while (await client.runs.get(id, run["run_id"]))["status"] != "running":
            await asyncio.sleep(0.02)
        async with cutting_proxy(server.url, "/cancel", after=1) as (proxy, url):
            cancelling = asyncio.create_task(awaited(server.connect(url).runs.cancel(id, run["run_id"], wait=True)))
            while proxy.cuts_left and not cancelling.done():
                await asyncio.sleep(0.02)
            gate.touch()
            await cancelling
            equal(proxy.cuts_left, 0)
    has(await client.runs.get(id, run["run_id"]), status="interrupted")


async def awaited(call):
    return await call
