import asyncio
import json
from contextlib import asynccontextmanager

from cases import case, equal, has, refused
from run_cases import new_thread


@asynccontextmanager
async def receiver():
    """Takes webhooks; yields its address and the queue of what came."""
    came = asyncio.Queue()

    async def take(reader, writer):
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        came.put_nowait(json.loads(await reader.readexactly(length)))
        writer.write(b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(take, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/hook?token=t", came


@case("webhooks: create, wait and stream report the end of a run")
async def told(server):
    client = server.client
    async with receiver() as (webhook, came):
        for thread_id in (await new_thread(client), None):
            await client.runs.create(thread_id, "echo", input={"text": "a"}, webhook=webhook)
            has(await asyncio.wait_for(came.get(), 90), status="success")
            await client.runs.wait(thread_id, "echo", input={"text": "b"}, webhook=webhook)
            body = await asyncio.wait_for(came.get(), 90)
            equal(body["values"], {"text": "b", "echo": "b", "messages": []} if thread_id else None)
            async for _ in client.runs.stream(thread_id, "echo", input={"text": "c"}, webhook=webhook):
                pass
            equal((await asyncio.wait_for(came.get(), 90))["kwargs"]["input"], {"text": "c"})


@case("webhooks: a failure is told, and what leads nowhere is refused")
async def failed(server):
    client = server.client
    async with receiver() as (webhook, came):
        await client.runs.create(await new_thread(client), "boom", input={"message": "no"}, webhook=webhook)
        body = await asyncio.wait_for(came.get(), 90)
        equal((body["status"], body["error"]), ("error", {"error": "Error", "message": "no"}))
    await refused(422, client.runs.create(None, "echo", input={}, webhook="http://169.254.169.254/"))
