"""Entry point: `python -m slipway_graph_host`."""

from __future__ import annotations

import sys

try:
    from .host_process import main
except ModuleNotFoundError as error:
    if not (error.name or "").startswith(("langgraph", "langchain_core")):
        raise
    sys.exit(f"{error.name} is not installed for {sys.executable}; the project brings its own: pip install langgraph")

main()
