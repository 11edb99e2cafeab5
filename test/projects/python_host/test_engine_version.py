import unittest
from unittest import mock

from slipway_graph_host.engine_version import check_engine, engine_version
from slipway_graph_host.failures import InvalidProject


class EngineVersion(unittest.TestCase):
    def test_is_read_without_marks_of_candidates(self) -> None:
        for text, version in (("1.0.3", (1, 0, 3)), ("1.2.0a5", (1, 2, 0)), ("0.6.11.post1", (0, 6, 11))):
            with mock.patch("langgraph.version.__version__", text):
                self.assertEqual(engine_version(), version)
                check_engine()

    def test_is_refused_where_it_is_too_old(self) -> None:
        with (
            mock.patch("langgraph.version.__version__", "0.5.4"),
            self.assertRaisesRegex(InvalidProject, "0.6 and newer"),
        ):
            check_engine()
