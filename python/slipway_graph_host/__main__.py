"""Entry point: `python -m slipway_graph_host`."""

from __future__ import annotations

import os
import sys

# Where the server was started is no part of the project, whose folders come with it.
if sys.path[0] == os.getcwd():
    del sys.path[0]

try:
    from .host_process import main
except ModuleNotFoundError as error:
    if not (error.name or "").startswith(("langgraph", "langchain_core")):
        raise
    sys.exit(f"{error.name} is not installed for {sys.executable}; the project brings its own: pip install langgraph")

main()
