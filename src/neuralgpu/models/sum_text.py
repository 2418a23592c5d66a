"""The text of an addition as the stack-RNN's authors write it: `n+m=s.`, with the operands' highest digits first.

Its symbols are those of the tape, with 0 (PAD there) for the full stop, and one more for the equals sign.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Symbols = NDArray[np.int64]

STOP = 0


@dataclass(frozen=True)
class SumText:
    """Symbols of additions; a tape of them has these `symbols`: PAD, the digits from 0 up, and the sign."""

    symbols: int

    @property
    def base(self) -> int:
        """Of the numbers."""
        return self.symbols - 2

    @property
    def sign(self) -> int:
        """The plus between the operands."""
        return self.symbols - 1

    @property
    def equals(self) -> int:
        """What ends a question."""
        return self.symbols

    @property
    def vocabulary(self) -> int:
        """The number of symbols in such a text."""
        return self.symbols + 1

    def questions(self, tapes: Symbols) -> tuple[Symbols, Symbols]:
        """Texts `n+m=` (count, longest) of the operands on tapes, without zeros above them, and their lengths.

        >>> SumText(symbols=4).questions(np.array([[2, 1, 3, 1, 2]]))  # 10+01 on the tape is 1 + 2
        (array([[2, 3, 2, 1, 4]]), array([5]))
        """
        texts = [self._question(tape[tape != STOP]) for tape in tapes]
        lengths = np.array([len(text) for text in texts])
        rows = np.zeros((len(texts), lengths.max()), dtype=np.int64)
        for row, text in zip(rows, texts, strict=True):
            row[: len(text)] = text
        return rows, lengths

    def _question(self, tape: Symbols) -> list[int]:
        """The text of one tape; of anything but a sum, what stands on it."""
        (signs,) = np.nonzero(tape == self.sign)
        operands = np.split(tape, [signs[0], signs[0] + 1])[::2] if len(signs) else [tape]
        signed = [symbol for operand in operands for symbol in (self.sign, *_highest_first(operand))]
        return [*signed[1:], self.equals]


def _highest_first(digits: Symbols) -> list[int]:
    """A number's digits without the zeros above it; the digit 0 is the symbol 1."""
    (others,) = np.nonzero(digits != 1)
    highest = others[-1] if len(others) else 0
    return digits[highest::-1].tolist() if len(digits) else [1]
