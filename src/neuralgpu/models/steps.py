"""How many steps a network makes on a tape."""

import math
from dataclasses import dataclass
from typing import Annotated

from neuralgpu.errors import UserError
from neuralgpu.ranges import Range, check_ranges

MOST_EXTRA = 100_000


@dataclass(frozen=True)
class Steps:
    """The number of steps follows from the number of cells; the paper makes as many steps as there are cells.

    >>> Steps()(41), Steps(per_cell=1.5, extra=4)(41)
    (41, 66)
    """

    per_cell: Annotated[float, Range(0, 1000)] = 1.0
    """steps for each cell of the tape"""
    extra: Annotated[int, Range(0, MOST_EXTRA)] = 0
    """further steps, however long the tape is"""

    def __post_init__(self) -> None:
        check_ranges(self, "steps.")
        if not (self.per_cell or self.extra):
            raise UserError("steps.per_cell and steps.extra are both 0; a network makes at least one step")

    def __call__(self, cells: int) -> int:
        """The steps for a tape of this many cells."""
        return math.ceil(self.per_cell * cells) + self.extra
