import asyncio
from functools import partial
from inspect import iscoroutine

END = object()


class SdkClient:
    """Either client of the SDK in the shape of the asynchronous one, so that one case drives both; notes its calls."""

    def __init__(self, target, call, called: set[str], path: str = ""):
        self._target, self._call, self._called, self._path = target, call, called, path

    def __getattr__(self, name: str):
        value = getattr(self._target, name)
        path = f"{self._path}.{name}".lstrip(".")
        if not callable(value):
            return SdkClient(value, self._call, self._called, path)
        self._called.add(path)
        return lambda *args, **kwargs: self._call(partial(value, *args, **kwargs))


class AsyncCall:
    """A method of the asynchronous client, called when it is awaited or iterated."""

    def __init__(self, call):
        self._call = call

    def __await__(self):
        return self._call().__await__()

    async def __aiter__(self):
        stream = self._call()
        if iscoroutine(stream):
            stream = await stream
        try:
            async for part in stream:
                yield part
        finally:
            await stream.aclose()


class BlockingCall:
    """The same of the synchronous client, in a thread."""

    def __init__(self, call):
        self._call = call

    def __await__(self):
        return asyncio.to_thread(self._call).__await__()

    async def __aiter__(self):
        stream = await asyncio.to_thread(self._call)
        try:
            while (part := await asyncio.to_thread(next, stream, END)) is not END:
                yield part
        finally:
            stream.close()
