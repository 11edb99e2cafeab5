"""LangSmith traces: their parent and project, and sending them before the host exits."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator, Mapping
from typing import Any


@contextlib.contextmanager
def traced(config: Mapping[str, Any]) -> Iterator[None]:
    """Adds a run to its caller's trace and to the requested project."""
    configurable = config.get("configurable") or {}
    header, project = configurable.get("langsmith-trace"), configurable.get("__langsmith_project__")
    if not header and not project:
        yield
        return
    import langsmith  # Takes 0.1 s, and few runs need it here.

    options: dict[str, Any] = {}
    if header:
        headers = {"langsmith-trace": str(header), "baggage": _baggage(configurable)}
        options["parent"] = {name: value for name, value in headers.items() if value}
    if project:
        example = configurable.get("__langsmith_example_id__")
        updates = {"reference_example_id": example} if example else None
        options["replicas"] = [
            {"project_name": project, "updates": updates},
            {"project_name": langsmith.utils.get_tracer_project(), "updates": None},
        ]
    with langsmith.tracing_context(**options):
        yield


def _baggage(configurable: Mapping[str, Any]) -> str:
    baggage = configurable.get("baggage")
    return baggage if isinstance(baggage, str) else ""


def flush_traces(seconds: float) -> None:
    """Sends the remaining traces, within at most `seconds`."""
    flushing = threading.Thread(target=_flush, daemon=True)
    flushing.start()
    flushing.join(seconds)


def _flush() -> None:
    """Does nothing unless the tracing client was loaded."""
    tracers = sys.modules.get("langchain_core.tracers.langchain")
    if tracers is not None:
        with contextlib.suppress(Exception):
            tracers.wait_for_all_tracers()
    run_trees = sys.modules.get("langsmith.run_trees")
    client = getattr(run_trees, "_CLIENT", None)
    if client is not None:
        with contextlib.suppress(Exception):
            client.flush()
