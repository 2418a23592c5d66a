"""A sweep whose points train in a second."""

from pathlib import Path
from typing import Any

from neuralgpu.sweeps.report import SweepReport
from neuralgpu.sweeps.sweep import sweep

SETTINGS: dict[str, Any] = {"layers": 1, "width": 1, "maps": 8, "batch": 4, "examples_per_size": 50, "max_steps": 60}
AXES = {"learning_rate": [1e-3, 3e-3], "dropout": [0.06, 0.09]}
FLAGS = [word for name, value in SETTINGS.items() for word in ("--set", f"{name}={value}")]


def tiny_sweep(out: Path, **changes: Any) -> SweepReport:
    """Four points of `copy`, one after the other."""
    arguments: dict[str, Any] = {"engine": "serial", "evaluate_sizes": [5], "evaluate_count": 10, **SETTINGS, **changes}
    return sweep(arguments.pop("task", "copy"), arguments.pop("axes", AXES), out=out, **arguments)


def weights(out: Path) -> list[bytes]:
    """The weights of every point."""
    return [path.read_bytes() for path in sorted(out.glob("points/*/model.safetensors"))]
