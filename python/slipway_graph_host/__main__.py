"""Entry point: `python -m slipway_graph_host`."""

from __future__ import annotations

import os
import sys

# The folder the server was started in isn't part of the project, which adds its own folders.
if sys.path[0] == os.getcwd():
    del sys.path[0]

try:
    from .host_process import main
except ModuleNotFoundError as error:
    if not (error.name or "").startswith(("langgraph", "langchain_core")):
        raise
    sys.exit(f"{error.name} is not installed for {sys.executable}; the project brings its own: pip install langgraph")

main()
