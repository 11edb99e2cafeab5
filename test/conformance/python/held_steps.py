from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory


@contextmanager
def held_steps(*numbers: int):
    """Holds up the graph `steps` at these steps; yields the `hold` of its input, and what lets one of them go on."""
    with TemporaryDirectory(prefix="slipway-holds-") as folder:
        hold = f"{folder}/hold"
        for number in numbers:
            Path(f"{hold}.{number}").touch()
        yield hold, lambda number: Path(f"{hold}.{number}").unlink()
