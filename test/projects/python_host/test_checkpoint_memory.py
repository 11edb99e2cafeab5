import unittest
from typing import Any

from slipway_graph_host.checkpoint_memory import CheckpointMemory

THREAD = "t"
TASK = "node:" + "0" * 8 + "-0000-0000-0000-" + "0" * 12
MAIN = (THREAD, "")


def checkpoint(
    checkpoint_id: str,
    versions: dict[str, int],
    changed: dict[str, str | None],
    parent: str | None = None,
    namespace: str = "",
) -> dict[str, Any]:
    """A unit that stores a checkpoint and the values of what has changed; None where a channel has none."""
    place = {"thread_id": THREAD, "checkpoint_ns": namespace}
    row = {
        **place,
        "checkpoint_id": checkpoint_id,
        "parent_checkpoint_id": parent,
        "run_id": "r",
        "channel_versions": versions,
    }
    values = [
        {**place, "channel": name, "version": str(versions[name]), "type": "json", "value": value}
        for name, value in changed.items()
        if value is not None
    ]
    return {"checkpoint": row, "changed": list(changed), "values": values, "writes": []}


def write(checkpoint_id: str, channel: str, value: str, idx: int = 0, task: str = "a") -> dict[str, Any]:
    row = {"thread_id": THREAD, "checkpoint_ns": "", "checkpoint_id": checkpoint_id}
    return {**row, "task_id": task, "idx": idx, "channel": channel, "type": "json", "value": value}


def writes(*rows: dict[str, Any]) -> dict[str, Any]:
    return {"changed": [], "values": [], "writes": list(rows)}


class Memory(unittest.TestCase):
    def setUp(self) -> None:
        self.memory = CheckpointMemory(set())

    def values_of(self, checkpoint_id: str | None = None) -> dict[str, str] | None:
        is_known, known = self.memory.find(MAIN, checkpoint_id)
        self.assertTrue(is_known)
        return known and {name: value["value"] for name, value in known.values.items()}

    def test_knows_nothing_at_first(self) -> None:
        self.assertEqual(self.memory.find(MAIN, None), (False, None))
        self.memory.read(MAIN, None)
        self.assertEqual(self.memory.find(MAIN, None), (True, None))

    def test_carries_values_that_did_not_change(self) -> None:
        self.memory.read(MAIN, None)
        self.memory.wrote(checkpoint("1", {"a": 1, "b": 1}, {"a": "1", "b": "1"}))
        self.memory.wrote(checkpoint("2", {"a": 2, "b": 1}, {"a": "2"}, "1"))
        self.assertEqual(self.values_of(), {"a": "2", "b": "1"})
        self.memory.wrote(checkpoint("3", {"a": 3, "b": 1}, {"a": None}, "2"))
        self.assertEqual(self.values_of("3"), {"b": "1"})
        self.assertEqual(self.memory.find(MAIN, "2"), (False, None))

    def test_asks_where_a_value_is_not_at_hand(self) -> None:
        self.memory.wrote(checkpoint("2", {"a": 2, "b": 1}, {"a": "2"}, "1"))
        self.assertEqual(self.memory.find(MAIN, None), (False, None))

    def test_asks_when_a_checkpoint_of_another_clock_is_later(self) -> None:
        self.memory.read(MAIN, {**checkpoint("9", {}, {}), "row": checkpoint("9", {}, {})["checkpoint"], "values": {}})
        self.memory.wrote(checkpoint("2", {"a": 2}, {"a": "2"}, "9"))
        self.assertEqual(self.memory.find(MAIN, None), (False, None))

    def test_keeps_writes_as_the_server_does(self) -> None:
        self.memory.wrote(writes(write("1", "a", "early", task="b")))
        self.memory.wrote(checkpoint("1", {"a": 1}, {"a": "1"}))
        self.memory.wrote(writes(write("1", "a", "first"), write("1", "__interrupt__", "old", -3)))
        self.memory.wrote(writes(write("1", "a", "second"), write("1", "__interrupt__", "new", -3)))
        _, known = self.memory.find(MAIN, "1")
        assert known
        found = [(row["task_id"], row["value"]) for row in known.stored()["writes"]]
        self.assertEqual(found, [("a", "new"), ("a", "first"), ("b", "early")])

    def test_knows_that_the_subgraph_of_a_new_task_has_no_past(self) -> None:
        self.assertEqual(self.memory.find((THREAD, TASK), None), (False, None))
        self.memory.wrote(checkpoint("1", {}, {}))
        self.assertEqual(self.memory.find((THREAD, TASK), None), (True, None))
        self.assertEqual(self.memory.find((THREAD, "kept"), None), (False, None))

    def test_lets_old_subgraphs_go(self) -> None:
        self.memory.wrote(checkpoint("1", {}, {}))
        for number in range(40):
            self.memory.wrote(checkpoint("2", {}, {}, namespace=f"{TASK}|{number}"))
        self.assertEqual(self.memory.find((THREAD, f"{TASK}|0"), None), (False, None))
        self.assertTrue(self.memory.find((THREAD, f"{TASK}|39"), None)[0])
        self.assertTrue(self.memory.find(MAIN, None)[0])

    def test_continues_histories_of_channels_that_are_told_by_writes(self) -> None:
        memory = CheckpointMemory({"log"})
        memory.wrote(checkpoint("1", {"log": 1}, {"log": "[0]"}))
        memory.wrote(writes(write("1", "log", "1")))
        memory.wrote(checkpoint("2", {"log": 2}, {"log": None}, "1"))
        history = memory.history(MAIN, "2", "log")
        assert history
        self.assertEqual(history["seed"]["value"], "[0]")
        self.assertEqual([row["value"] for row in history["writes"]], ["1"])
        self.assertIsNone(memory.history(MAIN, "1", "log"))
