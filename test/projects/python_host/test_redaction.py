import json
import os
import unittest
from pathlib import Path

from slipway_graph_host.failures import Refused, RemoteError, describe_error, public_task_error
from slipway_graph_host.redaction import redact


class Redaction(unittest.TestCase):
    def test_texts_are_redacted_as_the_server_does(self) -> None:
        corpus = json.loads(Path(os.environ["REDACTION_CORPUS"]).read_text())
        self.assertGreater(len(corpus), 90)
        for text, expected in corpus:
            with self.subTest(text):
                self.assertEqual(redact(text), expected)

    def test_hostile_texts_take_no_time(self) -> None:
        for text in ("a" * 50_000, "a:" * 20_000, "/a" * 20_000, "password=" * 5_000, "1." * 20_000, "\\" * 50_000):
            redact(text)

    def test_errors_that_the_engine_has_stored(self) -> None:
        self.assertEqual(public_task_error("ValueError('boom')"), {"error": "ValueError", "message": "boom"})
        self.assertEqual(
            public_task_error("DriverFailure('code 1234')"),
            {"error": "DriverFailure", "message": "An internal error occurred"},
        )
        # The own words of a class may be its message.
        self.assertEqual(public_task_error("it broke"), {"error": "Error", "message": "An internal error occurred"})

    def test_answers_to_the_server(self) -> None:
        refused = describe_error(Refused(418, "no tea", {"x-a": "b"}))
        self.assertEqual(refused, {"error": "Refused", "status": 418, "message": "no tea", "headers": {"x-a": "b"}})
        # Only handlers choose the status of an answer.
        passed = describe_error(RemoteError({"error": "ItemNotFound", "message": "no item", "status": 404}))
        self.assertEqual(passed, {"error": "ItemNotFound", "message": "no item"})
