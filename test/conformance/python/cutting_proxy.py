import asyncio
from contextlib import asynccontextmanager, suppress
from urllib.parse import urlsplit


class CuttingProxy:
    """Passes bytes to and from a server; an answer to a request of `path` is cut after some bytes of its body.

    `requests` are the first lines of what was asked, `answered` of that whose answer has begun: a stream is then open.
    """

    def __init__(self, url: str, path: str, after: int, cuts: int):
        self._target, self._path, self._after, self.cuts_left = urlsplit(url), path.encode(), after, cuts
        self.requests: list[str] = []
        self.answered: list[str] = []

    async def _serve(self, reader, writer):
        upstream_reader, upstream_writer = await asyncio.open_connection(self._target.hostname, self._target.port)
        state = {"cut": False, "asked": []}
        forth = asyncio.create_task(self._forth(reader, upstream_writer, state))
        # A connection kept open is cancelled when all is over.
        with suppress(asyncio.CancelledError):
            await self._back(upstream_reader, writer, state)
        forth.cancel()
        for end in (upstream_writer, writer):
            end.close()

    async def _forth(self, reader, upstream, state):
        while data := await reader.read(65536):
            if data.startswith((b"GET ", b"POST ")):
                line = data.split(b"\r\n", 1)[0]
                self.requests.append(line.decode())
                state["asked"].append(line.decode())
                state["cut"] = self._path in line and self.cuts_left > 0
            upstream.write(data)

    async def _back(self, upstream, writer, state):
        passed = b""
        while data := await upstream.read(65536):
            passed += data
            if state["asked"]:
                self.answered.append(state["asked"].pop(0))
            body = passed.find(b"\r\n\r\n") + 4
            if state["cut"] and body > 3 and len(passed) >= body + self._after:
                writer.write(data[: body + self._after - len(passed) or None])
                self.cuts_left -= 1
                return
            writer.write(data)


@asynccontextmanager
async def cutting_proxy(url: str, path: str, after: int = 0, cuts: int = 1):
    """A proxy in front of the server, and its address."""
    proxy = CuttingProxy(url, path, after, cuts)
    listener = await asyncio.start_server(proxy._serve, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    try:
        yield proxy, f"http://127.0.0.1:{port}"
    finally:
        listener.close()
