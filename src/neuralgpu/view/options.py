"""What may be chosen about a picture of a network at work."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from neuralgpu.errors import UserError
from neuralgpu.ranges import Count, Range, check_ranges
from neuralgpu.view.palette import Colours


@dataclass(frozen=True)
class PictureOptions:
    """The look and the pace of a picture."""

    maps: tuple[str, ...] = ()
    """maps to show, like 0-7 12; by default all, and in a space-time picture the five that change most"""
    colours: Colours = "greys"
    """greys: -1 is white and 1 black, as in the paper; diverging: blue, white and brown"""
    scale: Annotated[int, Range(1, 8)] = 1
    """everything is this many times as large"""
    speed: Annotated[float, Range(0.01, 1e6)] | None = None
    """steps a second; by default what takes about eight seconds"""
    every: Count | None = None
    """steps from one frame to the next; by default 1 for a short input, and more for a long one"""
    hold: Annotated[float, Range(0, 60)] = 3.0
    """seconds for which the last frame stands"""
    column: int = 0
    """column of the mental image in a space-time picture; the first one holds the input and the answer"""

    def __post_init__(self) -> None:
        check_ranges(self)

    def check(self, w: int, m: int) -> None:
        """Refuse maps and a column that an image of this width with m maps does not have."""
        chosen_maps(self.maps, m)
        if not 0 <= self.column < w:
            columns = f"columns 0 to {w - 1}" if w > 1 else "column 0 alone"
            raise UserError(f"column {self.column} does not exist; this network has {columns}")


def chosen_maps(words: Sequence[str], m: int) -> list[int]:
    """Maps given by number or as a range, in the order given; of m maps all where none is given.

    >>> chosen_maps(["5", "0-2"], m=24)
    [5, 0, 1, 2]
    """
    chosen: list[int] = []
    for word in words:
        first, _, last = word.partition("-")
        if not (first.isdecimal() and (last or first).isdecimal()) or word.endswith("-"):
            raise UserError(f"maps has {word!r}; numbers and ranges from 0 to {m - 1}, like 0-7 12, would be right")
        low, high = int(first), int(last or first)
        if low > high:
            raise UserError(f"maps has {word!r}, a range that holds none; {high}-{low} would be right")
        if high >= m:
            raise UserError(f"map {high} does not exist; this network has maps 0 to {m - 1}")
        chosen += range(low, high + 1)
    return list(dict.fromkeys(chosen)) or list(range(m))
