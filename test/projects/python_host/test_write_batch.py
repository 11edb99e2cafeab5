import asyncio
import unittest
from typing import Any

from slipway_graph_host.write_batch import WriteBatch

PLACE = ("thread", "")


def unit(name: str) -> dict[str, Any]:
    return {"name": name, "changed": [], "values": [], "writes": []}


class Writes(unittest.IsolatedAsyncioTestCase):
    def setUp(self) -> None:
        self.calls: list[list[str]] = []
        self.gate = asyncio.Event()
        self.failure: Exception | None = None

    async def write(self, units: list[dict[str, Any]]) -> None:
        self.calls.append([unit["name"] for unit in units])
        await self.gate.wait()
        if self.failure:
            raise self.failure

    async def test_go_out_in_order_one_call_at_a_time(self) -> None:
        batch = WriteBatch(self.write)
        first = [batch.add(unit(name)) for name in "ab"]
        await asyncio.sleep(0.01)
        second = [batch.add(unit(name)) for name in "cd"]
        await asyncio.sleep(0.01)
        self.assertEqual(self.calls, [["a", "b"]])
        self.gate.set()
        await asyncio.gather(*first, *second)
        self.assertEqual(self.calls, [["a", "b"], ["c", "d"]])
        await batch.drain()

    async def test_fail_with_the_first_that_fails(self) -> None:
        told: list[BaseException] = []
        batch = WriteBatch(self.write, told.append)
        self.failure = ValueError("fenced")
        waiting = [batch.add(unit("a"))]
        await asyncio.sleep(0.01)
        waiting.append(batch.add(unit("b")))
        self.gate.set()
        outcomes = await asyncio.gather(*waiting, batch.add(unit("c")), return_exceptions=True)
        self.assertEqual(outcomes, [self.failure] * 3)
        self.assertEqual((told, self.calls), ([self.failure], [["a"]]))
        with self.assertRaises(ValueError):
            await batch.drain()

    async def test_are_not_waited_for_when_the_graph_goes_on(self) -> None:
        batch = WriteBatch(self.write)
        committed = batch.add(unit("a"))
        held = asyncio.ensure_future(batch.hold(PLACE, committed))
        await asyncio.sleep(0.01)
        self.assertFalse(held.done())
        batch.release(PLACE)
        await held
        self.assertFalse(committed.done())
        self.gate.set()
        await committed
