"""The sizes at which a network is evaluated, in its task's own unit."""

from collections.abc import Iterable
from operator import index

from neuralgpu.errors import UserError
from neuralgpu.tasks import Task

TRAINING_CELLS = 41
"""No training example takes more cells of its task's own tape: 20 bits of arithmetic, 41 symbols of a sequence."""
EVALUATION_CELLS = (41, 51, 81, 201, 401)
"""What a network is evaluated at unless asked otherwise: 20, 25, 40, 100 and 200 bits of arithmetic."""
MOST_CELLS = 10_000_000
"""Larger inputs are refused: as many steps on as many cells take longer than anyone waits."""


def training_size(task: Task) -> int:
    """The largest size in training; 0 for a task whose shortest tape is longer.

    >>> from neuralgpu.tasks import get_task
    >>> training_size(get_task("badd")), training_size(get_task("sort"))
    (20, 41)
    """
    return task.largest_size(TRAINING_CELLS)


def usual_sizes(task: Task) -> list[int]:
    """The sizes that say how far a network generalises.

    >>> from neuralgpu.tasks import get_task
    >>> usual_sizes(get_task("bmul"))
    [20, 25, 40, 100, 200]
    """
    kept = task.report_sizes()
    return sorted({max(1, task.largest_size(cells)) for cells in EVALUATION_CELLS}) if kept is None else list(kept)


def checked_sizes(task: Task, sizes: int | Iterable[int]) -> list[int]:
    """Every size once, the smallest first; a UserError names one that is impossible.

    Where a task has no inputs of a size, the nearest takes its place; a file has those that it has.
    """
    chosen = sorted({index(size) for size in ([sizes] if isinstance(sizes, int) else sizes)})
    if not chosen:
        raise UserError("no sizes are given; name at least one, such as 20")
    if chosen[0] < 1:
        raise UserError(f"size {chosen[0]} is too small; it must be at least 1")
    if task.extent(chosen[-1]) > MOST_CELLS:
        most = f"{task.largest_size(MOST_CELLS):,} {task.unit}"
        raise UserError(f"size {chosen[-1]} is too large; it must be at most {most}")
    kept = task.report_sizes()
    if kept is None:
        return sorted({task.nearest_size(size) for size in chosen})
    for size in chosen:
        if not task.kept(size):
            raise UserError(f"the file of {task.name} has no inputs of size {size} for a report; take {list(kept)}")
    return chosen
