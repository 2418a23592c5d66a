"""Rearranging a sequence of bits: copy, reverse, duplicate and sort."""

import numpy as np

from neuralgpu.tasks.digits import Mixture, random_digits
from neuralgpu.tasks.tape import Batch, Tape, Tapes
from neuralgpu.tasks.task import Task, random_text


class Rearrangement(Task):
    """An answer made of the input's own symbols."""

    alphabet = "01"

    def random(self, rng: np.random.Generator, size: int) -> str:
        """Independent symbols."""
        return random_text(rng, self.alphabet, size)

    def rearrange(self, tapes: Tapes) -> Tapes:
        """The answers to inputs (count, size)."""
        raise NotImplementedError

    def draw(self, rng: np.random.Generator, count: int, size: int, mixture: Mixture) -> Batch:
        """Sequences of independent symbols."""
        inputs = random_digits(rng, len(self.alphabet), count, size, mixture) + 1
        return Batch(inputs, self.rearrange(inputs))

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
    tape = Tape(per_symbol=2)

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
