"""Entry point: `python -m slipway_graph_host`."""

from __future__ import annotations

from .host_process import main

main()
