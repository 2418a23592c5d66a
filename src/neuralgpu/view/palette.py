"""The colours of every picture: at most 256, so that a frame is an array of indices, which is what a GIF holds."""

from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Colour = tuple[int, int, int]
Indices = NDArray[np.uint8]
Colours = Literal["greys", "diverging"]

STATE_LEVELS = 33
"""Shades of a number from -1 to 1; odd, so that 0 has its own. More cannot be told apart and make larger files."""

TRANSPARENT = 255
"""The place that shows what was there before."""

# Blue and orange are told apart by every kind of colour vision (Okabe and Ito's palette).
PAPER: Colour = (250, 250, 248)
INK: Colour = (28, 32, 38)
FAINT: Colour = (122, 128, 136)
ORANGE: Colour = (240, 160, 30)
BLUE: Colour = (0, 114, 178)
LINE: Colour = (176, 192, 210)
TINTS: tuple[Colour, Colour] = ((222, 235, 247), (120, 175, 222))
"""Of the first and the last symbol of an alphabet; the letter on a tint is drawn in ink."""
TINT_STEPS = 6

STATE_ANCHORS: dict[Colours, tuple[Colour, Colour, Colour]] = {
    "greys": ((255, 255, 255), (128, 128, 128), (0, 0, 0)),
    "diverging": ((33, 102, 172), (247, 247, 247), (179, 88, 6)),
}
"""The colours of -1, 0 and 1: the paper's greys, or blue to brown."""


@dataclass(frozen=True)
class Ramp:
    """Neighbouring places of the palette that lead from one colour to another."""

    start: int
    levels: int

    @property
    def last(self) -> int:
        """The place of the colour that it leads to."""
        return self.start + self.levels - 1

    def pick(self, shares: NDArray[np.floating]) -> Indices:
        """The place for each share of the way, from 0 to 1."""
        places: Indices = (self.start + np.rint(np.clip(shares, 0, 1) * (self.levels - 1))).astype(np.uint8)
        return places


def _blend(one: Colour, other: Colour, share: float) -> Colour:
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(one, other, strict=True))
    return red, green, blue


_TINTS = [_blend(*TINTS, step / (TINT_STEPS - 1)) for step in range(TINT_STEPS)]
_WAYS = [(PAPER, INK, 12), (PAPER, FAINT, 12), (ORANGE, INK, 8), (LINE, BLUE, 2), *((tint, INK, 8) for tint in _TINTS)]
_RAMPS = [
    Ramp(start, levels)
    for start, (_, _, levels) in zip(
        accumulate((levels for _, _, levels in _WAYS), initial=STATE_LEVELS), _WAYS, strict=False
    )
]

STATE = Ramp(0, STATE_LEVELS)
"""From -1 to 1."""
INK_TEXT, FAINT_TEXT, WRONG_TEXT, MARKS, *TINT_TEXT = _RAMPS
"""Text on paper, faint text on paper, text on what is wrong, a line and the progress on it, text on each tint."""


def palette(colours: Colours) -> NDArray[np.uint8]:
    """The colour (256, 3) of every place; places that are not used are black."""
    low, middle, high = STATE_ANCHORS[colours]
    half = STATE_LEVELS // 2
    table = [_blend(low, middle, step / half) for step in range(half)]
    table += [_blend(middle, high, step / half) for step in range(half + 1)]
    for first, last, levels in _WAYS:
        table += [_blend(first, last, step / (levels - 1)) for step in range(levels)]
    return np.array(table + [(0, 0, 0)] * (256 - len(table)), dtype=np.uint8)


def shade(numbers: NDArray[np.floating]) -> Indices:
    """The places of numbers from -1 to 1; what lies beyond is drawn as the nearer of the two."""
    return STATE.pick((numbers + 1) / 2)


def symbol_ramp(symbol: int, symbols: int) -> Ramp:
    """Text on the tint of a symbol; PAD, which is 0, has none."""
    if symbol == 0:
        return INK_TEXT
    share = (symbol - 1) / max(symbols - 2, 1)
    return TINT_TEXT[round(share * (TINT_STEPS - 1))]
