"""Rearranging a sequence of bits: copy, reverse, duplicate and sort."""

import numpy as np

from neuralgpu.tasks.digits import Mixture, random_digits
from neuralgpu.tasks.task import PAD, Batch, Tapes, Task


class Rearrangement(Task):
    """An answer made of the input's own symbols."""

    alphabet = "01"
    unit = "symbols"

    def extent(self, size: int) -> int:
        """One cell for each symbol."""
        return size

    def size(self, text: str) -> int:
        """The symbols of the input."""
        self._check_symbols(text)
        return len(text)

    def rearrange(self, tapes: Tapes) -> Tapes:
        """The answers to inputs (count, size)."""
        raise NotImplementedError

    def draw(self, rng: np.random.Generator, count: int, size: int, mixture: Mixture) -> Batch:
        """Sequences of independent symbols."""
        symbols = random_digits(rng, len(self.alphabet), count, size, mixture) + 1
        inputs = np.full((count, self.extent(size)), PAD)
        inputs[:, :size] = symbols
        return Batch(inputs, self.rearrange(symbols))

    def example(self) -> str:
        """The paper's input for duplication."""
        return "0011"


class Copy(Rearrangement):
    """The input itself.

    >>> Copy().answer("0110")
    '0110'
    """

    name = "copy"

    def answer(self, text: str) -> str:
        """The same text."""
        self.size(text)
        return text

    def rearrange(self, tapes: Tapes) -> Tapes:
        """The same symbols."""
        return tapes.copy()


class Reverse(Rearrangement):
    """The input from its last symbol to its first.

    >>> Reverse().answer("0010")
    '0100'
    """

    name = "reverse"

    def answer(self, text: str) -> str:
        """The text backwards."""
        self.size(text)
        return text[::-1]

    def rearrange(self, tapes: Tapes) -> Tapes:
        """The symbols backwards."""
        return tapes[:, ::-1].copy()


class Duplicate(Rearrangement):
    """The input twice; the tape has 2d cells, so that PAD follows the d symbols of the input.

    >>> Duplicate().answer("0011")
    '00110011'
    """

    name = "duplicate"

    def extent(self, size: int) -> int:
        """Room for the answer."""
        return 2 * size

    def answer(self, text: str) -> str:
        """The text twice."""
        self.size(text)
        return text + text

    def rearrange(self, tapes: Tapes) -> Tapes:
        """The symbols twice."""
        return np.tile(tapes, 2)


class Sort(Rearrangement):
    """The input's symbols in order; with two symbols this is counting.

    >>> Sort().answer("10110010")
    '00001111'
    """

    name = "sort"

    def answer(self, text: str) -> str:
        """The sorted text."""
        self.size(text)
        return "".join(sorted(text))

    def rearrange(self, tapes: Tapes) -> Tapes:
        """The sorted symbols."""
        return np.sort(tapes, axis=1)
