"""Long addition and multiplication of two numbers that stand one after the other, in any base from 2 to 10."""

from dataclasses import replace

import numpy as np

from neuralgpu.errors import UserError
from neuralgpu.tasks.digits import Digits, Mixture, digits_in_runs, random_digits
from neuralgpu.tasks.stress import operands
from neuralgpu.tasks.tape import PAD, Batch, Tape
from neuralgpu.tasks.task import Task, random_text

BASE_PREFIX = {2: "b", 4: "q", 10: ""}


class TwoNumbers(Task):
    """Two numbers of d digits each, least significant digit first, with a sign between them."""

    unit = "digits"
    sign: str
    """what stands between the numbers"""
    base: int
    digits: str
    """of a number"""

    def text(self, x: str, y: str) -> str:
        """The input that has these two numbers."""
        return f"{x}{self.sign}{y}"

    def input_symbols(self, size: int) -> int:
        """Both numbers and the sign: 2d+1."""
        return 2 * size + 1

    def operands(self, text: str) -> tuple[str, str]:
        """The two numbers of a text, which may differ in length; a UserError says so where there are not two."""
        signs = text.count(self.sign)
        if signs != 1:
            raise UserError(
                f"{text!r} has {signs} signs; {self.name} takes two numbers with one {self.sign!r} between them, like "
                f"{self.example()!r}"
            )
        x, y = text.split(self.sign)
        if not (x and y):
            missing = "number" if not (x or y) else "second number" if x else "first number"
            raise UserError(f"{text!r} has no {missing}; {self.name} takes text like {self.example()!r}")
        return x, y

    def size(self, text: str) -> int:
        """The digits of each operand."""
        self._check_symbols(text)
        x, y = self.operands(text)
        if len(x) != len(y):
            raise UserError(
                f"operand lengths differ: {len(x)} and {len(y)} {self.unit}; fill the shorter with zeros at its end, "
                "which is its most significant place"
            )
        if not set(x + y) <= set(self.digits):
            raise UserError(f"{text!r} has other symbols than {self.digits} in a number, like {self.example()!r}")
        return len(x)

    def example(self) -> str:
        """Six and ten when the base is two."""
        return self.text("0110", "0101")

    def random(self, rng: np.random.Generator, size: int) -> str:
        """Two numbers of independent digits."""
        return self.text(*(random_text(rng, self.digits, size) for _ in range(2)))

    def stress(self, size: int, rng: np.random.Generator) -> dict[str, str]:
        """Zeros, single digits, the longest carry, palindromes and more."""
        return {name: self.text(x, y) for name, (x, y) in operands(size, self.base, rng)}


class Arithmetic(TwoNumbers):
    """Two numbers of d digits each, least significant digit first, with the operation's symbol between them.

    The operands have the same number of digits; zeros at the end (the most significant place) are allowed, so that a
    shorter number can be filled up. The result has no zeros at its most significant end; zero itself is a single `0`.
    The rest of the tape, which has n = 2d+1 cells, is PAD, or zeros where the tape says so.
    """

    operation: str

    def __init__(self, base: int) -> None:
        if not 2 <= base <= 10:
            raise UserError(f"base {base} is not supported; choose one from 2 to 10")
        self.base = base
        self.name = BASE_PREFIX[base] + self.operation if base in BASE_PREFIX else f"{self.operation}{base}"
        self.digits = "0123456789"[:base]
        self.alphabet = self.digits + self.sign
        if base == 2:
            self.unit = "bits"

    def tape_with(self, slack: int, stretch: float, zero_fill: bool) -> Tape:
        """The task's own tape, longer; with `zero_fill` zeros follow a result to the end of the tape."""
        return replace(super().tape_with(slack, stretch, zero_fill), fill="0" if zero_fill else None)

    def answer(self, text: str) -> str:
        """The true result, computed with Python's integers."""
        self.size(text)
        x, y = self.operands(text)
        return from_int(self.calculate(to_int(x, self.base), to_int(y, self.base)), self.base)

    def calculate(self, x: int, y: int) -> int:
        """The operation on two integers."""
        raise NotImplementedError

    def calculate_digits(self, x: Digits, y: Digits) -> Digits:
        """The operation on digits (count, d) and (count, e): column sums (count, d+e+1), carries still to be made."""
        raise NotImplementedError

    def explain(self, text: str, answer: str | None) -> str | None:
        """The calculation in decimal, for numbers that fit on a line."""
        if not answer or len(text) > 65 or not set(answer) <= set(self.digits):
            return None
        x, y = text.split(self.sign)
        return f"{to_int(x, self.base)} {self.sign} {to_int(y, self.base)} = {to_int(answer, self.base)}"

    def draw(self, rng: np.random.Generator, count: int, size: int, mixture: Mixture) -> Batch:
        """Operands with independent digits; of the patterned pairs some are equal."""
        first, second = self.places(rng, count, size, mixture.any_lengths)
        most = max(1, 2 * size - 1) if mixture.any_lengths else size
        own = np.concatenate([first, second])
        digits = random_digits(rng, self.base, 2 * count, most, mixture, own)
        if mixture.runs:
            pairs = rng.random((count, 1)) < mixture.runs
            runs = np.where(np.arange(most) < own, digits_in_runs(rng, self.base, 2 * count, most), 0)
            digits = np.where(np.tile(pairs, (2, 1)), runs, digits)
        x, y = np.split(digits, 2)
        if mixture.patterned:
            equal = rng.random((count, 1)) < 0.1 * mixture.patterned
            y = np.where(equal & (first == second), x, y)
        place, sign = np.arange(self.extent(size)), self.alphabet.index(self.sign)
        after = place - first - 1  # the place in the second number (count, n)
        symbols = np.select(
            [place < first, place == first, after < second], [_take(x, place), sign, _take(y, after)], PAD - 1
        )
        results = digits_to_tape(carry(self.calculate_digits(x, y), self.base))
        return Batch(symbols + 1, results[:, : len(place)])

    def places(self, rng: np.random.Generator, count: int, size: int, any_lengths: float) -> tuple[Digits, Digits]:
        """The digits of the first and the second operands, each (count, 1): `size`, but for a share of the pairs."""
        equal = np.full((count, 1), size)
        if not any_lengths or size == 1:
            return equal, equal
        both = 2 * size - rng.integers(2, size=(count, 1))
        first = rng.integers(1, both)
        chosen = rng.random((count, 1)) < any_lengths
        return np.where(chosen, first, equal), np.where(chosen, both - first, equal)


def _take(digits: Digits, places: Digits) -> Digits:
    """The digits at places (n) or (count, n); any digit where there is no such place."""
    rows = np.broadcast_to(places, (len(digits), places.shape[-1]))
    return np.take_along_axis(digits, rows.clip(0, digits.shape[1] - 1), axis=1)


class Addition(Arithmetic):
    """The sum of two numbers.

    Examples:
        (1 + 4) + (2 + 4 + 8) = 5 + 14 = 19 = 1 + 2 + 16
        >>> Addition(base=2).answer("1010+0111")
        '11001'
        >>> Addition(base=2).answer("00+00")
        '0'

        21 + 99 = 120 in decimal
        >>> Addition(base=10).answer("12+99")
        '021'
    """

    operation = "add"
    sign = "+"

    def calculate(self, x: int, y: int) -> int:
        """x + y."""
        return x + y

    def calculate_digits(self, x: Digits, y: Digits) -> Digits:
        """Digit by digit."""
        (count, d), e = x.shape, y.shape[1]
        columns = np.zeros((count, d + e + 1), dtype=np.int64)
        columns[:, :d] += x
        columns[:, :e] += y
        return columns


class Multiplication(Arithmetic):
    """The product of two numbers.

    Examples:
        (2 + 4) * (2 + 8) = 6 * 10 = 60 = 4 + 8 + 16 + 32
        >>> Multiplication(base=2).answer("0110*0101")
        '001111'

        12 * 34 = 408 in decimal
        >>> Multiplication(base=10).answer("21*43")
        '804'
    """

    operation = "mul"
    sign = "*"

    def calculate(self, x: int, y: int) -> int:
        """x times y."""
        return x * y

    def calculate_digits(self, x: Digits, y: Digits) -> Digits:
        """Schoolbook multiplication: y shifted by k places, times digit k of x."""
        (count, d), e = x.shape, y.shape[1]
        columns = np.zeros((count, d + e + 1), dtype=np.int64)
        for k in range(d):
            columns[:, k : k + e] += x[:, k : k + 1] * y
        return columns


def carry(columns: Digits, base: int) -> Digits:
    """Digits of the numbers whose column sums are given."""
    digits = np.empty_like(columns)
    rest = np.zeros(len(columns), dtype=np.int64)
    for k in range(columns.shape[1]):
        rest, digits[:, k] = np.divmod(columns[:, k] + rest, base)
    return digits


def digits_to_tape(digits: Digits) -> Digits:
    """Symbols of numbers: no zeros at the most significant end, PAD instead; zero keeps one `0`."""
    places = np.arange(digits.shape[1])
    highest = np.max(np.where(digits != 0, places, 0), axis=1, keepdims=True)
    return np.where(places <= highest, digits + 1, PAD)


def to_int(text: str, base: int) -> int:
    """The value of digits, least significant first, however many there are.

    >>> to_int("0101", base=2)
    10
    """
    value = 0
    for digit in reversed(text):
        value = value * base + int(digit)
    return value


def from_int(value: int, base: int) -> str:
    """The digits of a value, least significant first.

    >>> from_int(10, base=2)
    '0101'
    """
    digits = []
    while value:
        value, digit = divmod(value, base)
        digits.append(str(digit))
    return "".join(digits) or "0"
