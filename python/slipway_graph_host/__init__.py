"""Graph host of Slipway for Python projects (docs/contracts/graph-host.md)."""
