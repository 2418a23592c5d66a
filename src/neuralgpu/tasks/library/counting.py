"""Counting the ones of a sequence of bits: parity, majority and their number."""

import numpy as np

from neuralgpu.tasks.arithmetic import from_int
from neuralgpu.tasks.library.sequence import Sequence


class Parity(Sequence):
    """Whether the number of ones is odd.

    >>> Parity().answer("0111"), Parity().answer("0110")
    ('1', '0')
    """

    name = "parity"
    alphabet = "01"
    unit = "bits"

    def answer(self, text: str) -> str:
        """The sum modulo two."""
        self.size(text)
        return str(text.count("1") % 2)


class Majority(Sequence):
    """Whether there are more ones than zeros.

    >>> Majority().answer("01101"), Majority().answer("0101")
    ('1', '0')
    """

    name = "majority"
    alphabet = "01"
    unit = "bits"

    def random(self, rng: np.random.Generator, size: int) -> str:
        """Two times in three ones and zeros in nearly equal numbers, one of the two mostly at the start or mixed."""
        if rng.random() < 1 / 3:
            return super().random(rng, size)
        ones = int(np.clip((size + 1) // 2 + rng.integers(-2, 3), 0, size))
        bits = list("1" * ones + "0" * (size - ones))
        if rng.random() < 0.75:
            rng.shuffle(bits)
        elif rng.random() < 0.5:
            bits.reverse()
        return "".join(bits)

    def answer(self, text: str) -> str:
        """One if ones have the majority, else zero."""
        return str(int(2 * text.count("1") > self.size(text)))


class Ones(Sequence):
    """The number of ones, as a binary number.

    >>> Ones().answer("011011")  # four, least significant digit first
    '001'
    >>> Ones().answer("000")
    '0'
    """

    name = "ones"
    alphabet = "01"
    unit = "bits"

    def answer(self, text: str) -> str:
        """The count in binary."""
        self.size(text)
        return from_int(text.count("1"), base=2)
