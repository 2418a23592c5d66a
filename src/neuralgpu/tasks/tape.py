"""The tape: how many cells an input has, and what fills the cells that hold nothing of it."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from neuralgpu.errors import UserError
from neuralgpu.ranges import Range, check_range

PAD = 0
"""The symbol of a cell that holds nothing; the others are 1, 2, ... in the order of the task's alphabet."""

MOST_PER_SYMBOL = 1000
MOST_EXTRA = 100_000

Tapes = NDArray[np.int64]  # (count, n)


class Batch(NamedTuple):
    """Tapes with the answers a network should leave on them."""

    inputs: Tapes  # (count, n)
    targets: Tapes  # (count, n)


@dataclass(frozen=True)
class Tape:
    """How long a tape is, and what follows an answer on it.

    >>> Tape(per_symbol=1.5, extra=31).cells(41)
    93
    """

    per_symbol: float = 1.0
    """cells for each symbol of the input; a fraction of a cell counts as a whole one"""
    extra: int = 0
    """cells besides these"""
    fill: str | None = None
    """the symbol that follows an answer to the end of the tape; None is PAD"""

    def __post_init__(self) -> None:
        if not 1 <= self.per_symbol <= MOST_PER_SYMBOL:
            raise UserError(
                f"per_symbol is {self.per_symbol}; it must be at least 1, so that a tape holds its input, and at most "
                f"{MOST_PER_SYMBOL}"
            )
        check_range("extra", self.extra, Range(0, MOST_EXTRA))

    def cells(self, symbols: int) -> int:
        """The cells of a tape for an input of this many symbols."""
        return math.ceil(self.per_symbol * symbols) + self.extra


def pad(tapes: Tapes, cells: int, filler: int = PAD) -> Tapes:
    """Tapes (count, cells) that begin with these (count, n), the filler in every cell that holds nothing.

    >>> pad(np.array([[1, 2, 0], [2, 1, 1]]), 5, filler=1).tolist()
    [[1, 2, 1, 1, 1], [2, 1, 1, 1, 1]]
    """
    count, n = tapes.shape
    padded = np.full((count, cells), filler)
    padded[:, :n] = np.where(tapes == PAD, filler, tapes)
    return padded
