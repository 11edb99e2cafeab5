import asyncio
import unittest

from slipway_graph_host.exchange import WINDOW, Exchange
from slipway_graph_host.frames import BadFrame, FrameReader, frame_start


class Frames(unittest.TestCase):
    def test_are_cut_wherever_the_stream_is(self) -> None:
        sent = [(b'{"data":1,"name":"values"}', b'{"a":1}'), (b'{"result":1}', b""), (b'{"call":"ping","id":2}', b"{}")]
        stream = b"".join(frame_start(header, len(body)) + body for header, body in sent)
        for size in (1, 3, 10, len(stream)):
            reader = FrameReader()
            pieces = [stream[start : start + size] for start in range(0, len(stream), size)]
            found = [frame for piece in pieces for frame in reader.push(piece)]
            self.assertEqual([body for _, body in found], [body for _, body in sent])
            self.assertEqual(found[0][0], {"data": 1, "name": "values"})

    def test_that_are_none_are_refused(self) -> None:
        for stream in (b"HTTP/1.1 200 OK\r\n", frame_start(b"[1]", 0), frame_start(b"{", 0)):
            with self.assertRaises(BadFrame):
                list(FrameReader().push(stream))
        with self.assertRaises(BadFrame):
            frame_start(b"{}", 300 * 1024 * 1024)


class Output(unittest.IsolatedAsyncioTestCase):
    async def test_waits_for_credit(self) -> None:
        sent: list[bytes] = []
        exchange = Exchange(1, lambda header, body: sent.append(body))
        self.assertIsNone(exchange.send("a", b"x"))
        pressed = exchange.send("a", b"x" * WINDOW)
        assert pressed
        waiting = asyncio.ensure_future(pressed)
        await asyncio.sleep(0)
        self.assertFalse(waiting.done())
        exchange.credited(2)
        await waiting
        self.assertEqual(len(sent), 2)

    async def test_of_a_call_that_is_over_is_dropped(self) -> None:
        sent: list[bytes] = []
        exchange = Exchange(1, lambda header, body: sent.append(body))
        exchange.close()
        exchange.send("a", b"x")
        exchange.cancel("closed")
        self.assertIsNone(exchange.send("a", b"x"))
        self.assertEqual(sent, [])
