"""Random additions in the text of the stack-RNN's authors, drawn as they draw them."""

from itertools import zip_longest
from typing import NamedTuple

import numpy as np

from neuralgpu.models.sum_text import STOP, SumText, Symbols


class Sums(NamedTuple):
    """Texts `n+m=s.` of different lengths."""

    texts: Symbols  # (count, longest), 0 after the end
    lengths: Symbols  # (count)
    firsts: Symbols
    """the place of the first symbol of each sum"""


def draw_sums(rng: np.random.Generator, text: SumText, count: int, least: int, below: int) -> Sums:
    """`count` additions whose operands have from `least` to `below` - 1 digits together, shared out at random.

    An operand without a digit is 0; any other begins with a digit that is not 0.
    """
    together = rng.integers(least, below, size=count)
    first = rng.integers(together + 1)
    digits = rng.integers(text.base, size=(count, 2, below))
    digits[:, :, 0] = rng.integers(1, text.base, size=(count, 2))
    texts, firsts = [], []
    for pair, n, m in zip(digits.tolist(), first.tolist(), (together - first).tolist(), strict=True):
        x, y = (number[:size] or [0] for number, size in zip(pair, (n, m), strict=True))
        question = [*(digit + 1 for digit in x), text.sign, *(digit + 1 for digit in y), text.equals]
        firsts.append(len(question))
        texts.append([*question, *(digit + 1 for digit in _added(x, y, text.base)), STOP])
    lengths = np.array([len(symbols) for symbols in texts])
    rows = np.zeros((count, lengths.max()), dtype=np.int64)
    for row, symbols in zip(rows, texts, strict=True):
        row[: len(symbols)] = symbols
    return Sums(rows, lengths, np.array(firsts))


def _added(x: list[int], y: list[int], base: int) -> list[int]:
    """The digits of the sum, lowest first, of numbers with the highest first."""
    total, carry = [], 0
    for a, b in zip_longest(reversed(x), reversed(y), fillvalue=0):
        carry, digit = divmod(a + b + carry, base)
        total.append(digit)
    return [*total, carry] if carry else total
