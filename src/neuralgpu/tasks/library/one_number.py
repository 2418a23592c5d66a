"""Tasks on one binary number, least significant digit first: increment, remainders, and the Gray code."""

import numpy as np

from neuralgpu.tasks.arithmetic import from_int, to_int
from neuralgpu.tasks.library.sequence import Sequence
from neuralgpu.tasks.tape import Tape


class Increment(Sequence):
    """The next number.

    >>> Increment().answer("1101")  # 11 + 1 = 12
    '0011'
    >>> Increment().answer("111"), Increment().answer("000")
    ('0001', '1')
    """

    name = "increment"
    alphabet = "01"
    unit = "bits"
    tape = Tape(extra=1)

    def random(self, rng: np.random.Generator, size: int) -> str:
        """Half of the time the lowest digits are ones, over which the carry runs; as far as any place, all alike."""
        digits = super().random(rng, size)
        ones = int(rng.integers(size + 1)) if rng.random() < 0.5 else 0
        return "1" * ones + digits[ones:]

    def answer(self, text: str) -> str:
        """The number plus one."""
        self.size(text)
        return from_int(to_int(text, base=2) + 1, base=2)

    def stress(self, size: int, rng: np.random.Generator) -> dict[str, str]:
        """Those of a sequence, and carries that end in the middle and in the last place."""
        carries = {"carry to the middle": size // 2, "carry to the last place": size - 1}
        return super().stress(size, rng) | {name: "1" * k + "0" * (size - k) for name, k in carries.items()}


class Remainder(Sequence):
    """The remainder of a binary number by a small one, which is one digit.

    >>> Remainder(3).answer("1101")  # 11 = 3 * 3 + 2
    '2'
    >>> Remainder(7).answer("0111")  # 14 = 2 * 7
    '0'
    """

    unit = "bits"

    def __init__(self, divisor: int) -> None:
        self.divisor = divisor
        self.name = f"mod{divisor}"
        self.alphabet = "0123456789"[: max(divisor, 2)]

    def answer(self, text: str) -> str:
        """The remainder."""
        self.size(text)
        return str(to_int(text, base=2) % self.divisor)


class Gray(Sequence):
    """The Gray code of a number: of two numbers that follow each other, the codes differ in one digit.

    >>> [Gray().answer(number) for number in ("110", "001", "101")]  # 3, 4, 5
    ['010', '011', '111']
    """

    name = "gray"
    alphabet = "01"
    unit = "bits"

    def answer(self, text: str) -> str:
        """Every digit plus the one above it, modulo two; there are as many digits as in the number."""
        self.size(text)
        return "".join(str(int(digit != above)) for digit, above in zip(text, text[1:] + "0", strict=True))


class Ungray(Sequence):
    """The number that has a Gray code.

    >>> [Ungray().answer(code) for code in ("010", "011", "111")]
    ['110', '001', '101']
    """

    name = "ungray"
    alphabet = "01"
    unit = "bits"

    def answer(self, text: str) -> str:
        """The sums modulo two of every digit and all above it."""
        self.size(text)
        sums = np.cumsum([int(digit) for digit in reversed(text)]) % 2
        return "".join(map(str, sums[::-1]))
