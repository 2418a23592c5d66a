"""A network in use makes its steps in slices of about a tenth of a second.

Between two slices Python runs: it hears Ctrl-C and can tell how far the work is. The states are the same, bit for bit,
as those of one call through all steps.
"""

import time
from collections.abc import Callable, Iterator, Sequence

from torch import Tensor

from neuralgpu.models.model import TapeModel

SLICE_SECONDS = 0.1
"""How long a slice should take."""
FIRST_SLICE = 2**20
"""Numbers of the state times steps in the first slice, before anything is measured."""
GROWTH = 4
"""A slice is at most this many times as long as the one before it, whose measured time may be a matter of chance."""

Made = Callable[[int], None]
"""Told the number of steps in each slice that is done."""


def reading_marks(cells: int, steps: int) -> tuple[int, ...]:
    """The numbers of steps after which a network reads its answer; the last reading is the answer.

    More steps than the tape has cells are there for the answer to stand still from about n steps on. It is then also
    read after n steps and in the middle between these and the last.

    >>> reading_marks(41, 66), reading_marks(41, 41), reading_marks(41, 20)
    ((41, 53, 66), (41,), (20,))
    """
    return tuple(sorted({cells, (cells + steps) // 2, steps})) if steps > cells else (steps,)


def states_after(model: TapeModel, i: Tensor, marks: Sequence[int], made: Made) -> Iterator[Tensor]:
    """The states of the tapes i (batch, n) after each of these ascending numbers of steps."""
    s, t = model.embed(i), 0
    longest = max(1, FIRST_SLICE // max(1, s.numel()))
    for mark in marks:
        while t < mark:
            steps = min(longest, mark - t)
            began = time.perf_counter()
            s = model.advance(s, t, steps)
            seconds = max(time.perf_counter() - began, 1e-6)
            longest = max(1, min(GROWTH * longest, int(steps * SLICE_SECONDS / seconds)))
            t += steps
            made(steps)
        yield s
