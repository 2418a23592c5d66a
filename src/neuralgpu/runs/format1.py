"""Reads config.json of format 1, in which a network was described by the training that made it."""

from typing import Any

from neuralgpu.errors import UserError
from neuralgpu.tasks import Task, get_task

SIZES = range(1, 400)
"""Where the two ways to count cells are compared."""


def convert(data: dict[str, Any]) -> dict[str, Any]:
    """The same configuration in format 2; its training part stays as it was, marked, so that nobody resumes it."""
    try:
        task, settings = get_task(data["task"]), data["settings"]
        model = dict(settings["model"])
        kind = "neural-gpu" if "width" in model else "diagonal"
        if kind == "diagonal":
            model.setdefault("levels", 0)  # not in the first configurations
        slack, stretch = settings.get("slack", 0), settings.get("stretch", 0.0)
        zero_fill = settings.get("zero_fill", False) is True
        network = {
            "task": task.name,
            "alphabet": task.alphabet,
            "tape": _tape(task, slack, stretch, zero_fill),
            "steps": {"per_cell": 1.0, "extra": 0},
            "model": {"kind": kind, **model},
        }
    except UserError:
        raise
    except (KeyError, TypeError, AttributeError, ValueError, OverflowError) as error:
        raise UserError(f"this configuration of format 1 is not as it was written: {str(error)[:120]}") from None
    return {"format": 2, "network": network, "training": {**data, "format": 1}}


def _tape(task: Task, slack: int, stretch: float, zero_fill: bool) -> dict[str, Any]:
    """The tape with the cells that format 1 counted as extent + slack + int(extent * stretch)."""
    for extra in range(slack, max(slack - 2, -1), -1):  # one cell less where the two ways round differently
        tape = task.tape_with(slack=extra, stretch=stretch, zero_fill=zero_fill)
        before = (task.extent(size) + slack + int(task.extent(size) * stretch) for size in SIZES)
        if all(tape.cells(task.input_symbols(size)) == cells for size, cells in zip(SIZES, before, strict=True)):
            return {"per_symbol": tape.per_symbol, "extra": tape.extra, "fill": tape.fill}
    raise UserError(
        f"a stretch of {stretch} in format 1 has no counterpart in format 2; use neuralgpu 0.1 for this network"
    )
