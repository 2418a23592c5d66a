"""Tasks on two binary numbers of equal length, least significant digit first: comparison, difference and maximum."""

import numpy as np

from neuralgpu.errors import UserError
from neuralgpu.tasks.arithmetic import TwoNumbers, from_int, to_int
from neuralgpu.tasks.library.sequence import varied


class Pair(TwoNumbers):
    """Two binary numbers that often have their high digits in common, so that low ones decide."""

    base = 2
    digits = "01"
    unit = "bits"

    def random(self, rng: np.random.Generator, size: int) -> str:
        """Half of the time the numbers agree from some place up, and now and then altogether."""
        x, y = (varied(rng, self.digits, size) for _ in range(2))
        if rng.random() < 0.5:
            common = int(rng.integers(size + 1))
            y = y[: size - common] + x[size - common :]
        return self.text(x, y)

    def values(self, text: str) -> tuple[int, int]:
        """The two numbers of an input."""
        self.size(text)
        x, y = text.split(self.sign)
        return to_int(x, self.base), to_int(y, self.base)

    def stress(self, size: int, rng: np.random.Generator) -> dict[str, str]:
        """Those of arithmetic, and numbers that differ in a single place."""
        texts = super().stress(size, rng)
        x = varied(rng, self.digits, size)
        for name, place in (("lowest", 0), ("middle", size // 2), ("highest", size - 1)):
            other = x[:place] + "10"[int(x[place])] + x[place + 1 :]
            texts[f"differ in the {name} place"] = self.text(x, other)
        return texts


class Compare(Pair):
    """Whether the first of two numbers is smaller, equal or larger.

    >>> Compare().answer("1010?0111")  # 5 and 14
    '<'
    >>> Compare().answer("011?011"), Compare().answer("01?10")
    ('=', '>')
    """

    name = "compare"
    sign = "?"
    alphabet = "01?<=>"

    def answer(self, text: str) -> str:
        """One of three signs."""
        x, y = self.values(text)
        return "<" if x < y else ">" if x > y else "="


class Subtract(Pair):
    """The difference of two numbers, of which the first is not the smaller one.

    >>> Subtract().answer("0111-1010")  # 14 - 5 = 9
    '1001'
    >>> Subtract().answer("011-011")
    '0'
    """

    name = "subtract"
    sign = "-"
    alphabet = "01-"

    def text(self, x: str, y: str) -> str:
        """The larger one comes first."""
        smaller, larger = sorted((x, y), key=lambda digits: to_int(digits, self.base))
        return super().text(larger, smaller)

    def size(self, text: str) -> int:
        """The digits of each number."""
        size = super().size(text)
        x, y = text.split(self.sign)
        if to_int(x, self.base) < to_int(y, self.base):
            raise UserError(f"{text!r} has a negative difference; write the larger number first")
        return size

    def answer(self, text: str) -> str:
        """x - y."""
        x, y = self.values(text)
        return from_int(x - y, self.base)


class Maximum(Pair):
    """The larger of two numbers.

    >>> Maximum().answer("1010,0110")  # 5 and 6
    '011'
    """

    name = "maximum"
    sign = ","
    alphabet = "01,"

    def answer(self, text: str) -> str:
        """The larger one, without zeros at its most significant end, as every number is written."""
        return from_int(max(self.values(text)), self.base)
