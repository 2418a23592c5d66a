"""Running an elementary cellular automaton."""

from neuralgpu.tasks.library.sequence import Sequence


class Rule110(Sequence):
    """Rule 110, run for as many steps as there are cells; beyond both ends all cells are zero.

    A cell is one after a step, unless it and its two neighbours were 111, 100 or 000.

    >>> Rule110().answer("0001")  # 0011, 0111, 1101, 1111
    '1111'
    """

    name = "rule110"
    alphabet = "01"
    unit = "cells"

    def answer(self, text: str) -> str:
        """The cells after the last step."""
        size = self.size(text)
        cells, all_ones = int(text, base=2), 2**size - 1
        for _ in range(size):
            left, right = cells >> 1, cells << 1
            cells = (cells | right) & ~(left & cells & right) & all_ones
        return f"{cells:0{size}b}"
