import datetime
import decimal
import enum
import json
import unittest
import uuid
from dataclasses import dataclass
from unittest import mock

from langchain_core.messages import AIMessageChunk, HumanMessage
from langgraph.types import Interrupt, Send
from pydantic import BaseModel

from slipway_graph_host import json_text
from slipway_graph_host.json_text import wire_json


class Colour(enum.Enum):
    RED = "red"


class Place(BaseModel):
    name: str
    visited: datetime.date


@dataclass
class Point:
    x: int
    y: float
    _hidden: int = 1


FORMS = [
    (Place(name="Kyoto", visited=datetime.date(2026, 11, 23)), {"name": "Kyoto", "visited": "2026-11-23"}),
    (Point(1, 2.5), {"x": 1, "y": 2.5}),
    (datetime.datetime(2026, 11, 23, 12, 30, 5, 120, tzinfo=datetime.timezone.utc), "2026-11-23T12:30:05.000120+00:00"),
    (datetime.datetime(2026, 11, 23, 12, 30, 5), "2026-11-23T12:30:05"),
    (datetime.timedelta(seconds=90), 90),
    (uuid.UUID("0193c2b4-7000-7000-8000-000000000001"), "0193c2b4-7000-7000-8000-000000000001"),
    (b"\x00\xff", "AP8="),
    (decimal.Decimal("1.50"), 1.5),
    (decimal.Decimal("3"), 3),
    ({7}, [7]),
    ((1, 2), [1, 2]),
    (Colour.RED, "red"),
    (float("nan"), None),
    ({1: "one", None: "none"}, {"1": "one", "null": "none"}),
    (object(), None),
    (ValueError("at db.internal:5432"), {"error": "ValueError", "message": "at [redacted host]"}),
    (OSError("the code is 1234"), {"error": "OSError", "message": "An internal error occurred"}),
    (Send("node", {"a": 1}), {"node": "node", "args": {"a": 1}}),
]


class WireForms(unittest.TestCase):
    def check_forms(self) -> None:
        for value, expected in FORMS:
            with self.subTest(type(value).__name__):
                self.assertEqual(json.loads(wire_json({"value": value})), {"value": expected})

    def test_values_without_a_form_of_json(self) -> None:
        self.check_forms()

    def test_the_same_without_orjson(self) -> None:
        with mock.patch.object(json_text, "orjson", None):
            self.check_forms()

    def test_messages_are_flat(self) -> None:
        human = json.loads(wire_json([HumanMessage("hi", id="m1")]))[0]
        self.assertEqual(
            {key: human[key] for key in ("type", "content", "id", "name")},
            {
                "type": "human",
                "content": "hi",
                "id": "m1",
                "name": None,
            },
        )
        chunk = json.loads(wire_json(AIMessageChunk("t", id="m2")))
        self.assertEqual(chunk["type"], "AIMessageChunk")
        self.assertEqual(chunk["tool_call_chunks"], [])

    def test_interrupts(self) -> None:
        shown = json.loads(wire_json({"__interrupt__": (Interrupt(value={"a": 1}, id="i1"),)}))
        self.assertEqual(shown["__interrupt__"][0]["value"], {"a": 1})
        self.assertEqual(shown["__interrupt__"][0]["id"], "i1")

    def test_texts_that_postgres_does_not_store(self) -> None:
        self.assertEqual(json.loads(wire_json("nul \x00")), "nul \ufffd")
        self.assertEqual(json.loads(wire_json(["half \ud800"])), ["half \ufffd"])
        self.assertEqual(json.loads(wire_json("not \\u0000")), "not \\u0000")

    def test_what_cannot_be_written_at_all(self) -> None:
        cycle: dict[str, object] = {"name": "c"}
        cycle["self"] = cycle
        self.assertEqual(json.loads(wire_json(cycle)), {"name": "c", "self": "[Circular]"})
        self.assertEqual(json.loads(wire_json([2**70])), [2**70])

        class Broken(BaseModel):
            def model_dump(self, **_: object) -> dict[str, object]:
                raise OSError("no")

        self.assertEqual(json.loads(wire_json([Broken()])), ["[Broken]"])
