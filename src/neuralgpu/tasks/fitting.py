"""The rule that says how many cells an input takes, found from examples."""

import math
from collections.abc import Iterable

from neuralgpu.errors import UserError
from neuralgpu.tasks.tape import Tape

FACTORS = (1.0, 1.5, *map(float, range(2, 101)))
"""Cells for each symbol of an input that are tried, the fewest first."""
RISE = 0.1
"""Cells by which answers may outgrow a rule for each symbol that inputs grow; where they do, the rule does not hold."""
FAR = 10
"""Symbols by which inputs grow in which a single cell may be chance."""


def fit_tape(lengths: Iterable[tuple[int, int]]) -> Tape:
    """The shortest tape, cells = ceil(a * symbols of the input) + b, that holds every answer.

    Takes the symbols of inputs and of their answers. The smallest factor a is taken with which the cells that are
    lacking do not grow with the input, so that the rule holds for longer inputs too; b makes up for the rest.

    >>> fit_tape((n, 2 * n) for n in range(1, 20))  # every symbol twice
    Tape(per_symbol=2.0, extra=0, fill=None)
    >>> fit_tape((n, n + n % 2) for n in range(1, 20))  # at times one more
    Tape(per_symbol=1.0, extra=1, fill=None)
    >>> fit_tape((n, 1) for n in range(1, 20))
    Tape(per_symbol=1.0, extra=0, fill=None)
    """
    longest: dict[int, int] = {}  # answer, by the symbols of the input
    for symbols, answer in lengths:
        longest[symbols] = max(answer, longest.get(symbols, 0))
    sizes = sorted(longest)
    for factor in FACTORS:
        lacking = [max(0, longest[size] - math.ceil(factor * size)) for size in sizes]
        if not any(lacking) or _holds(sizes, lacking):
            return Tape(factor, max(lacking))
    worst = max(sizes, key=lambda size: longest[size] / size)
    raise UserError(
        f"an input of {worst} symbols has an answer of {longest[worst]}; an answer may be at most {FACTORS[-1]:.0f} "
        "times as long as its input"
    )


def _holds(sizes: list[int], lacking: list[int]) -> bool:
    """Whether the cells that are lacking are no more for the upper half of the sizes than for the lower."""
    half = len(sizes) // 2
    if not half:
        return True
    grown = sizes[-1] - sizes[half - 1]
    return max(lacking[half:]) - max(lacking[:half]) <= RISE * grown + (grown >= FAR)


def rule(tape: Tape) -> str:
    """The rule in words.

    >>> rule(Tape(per_symbol=1.5, extra=2)), rule(Tape())
    ('cells = ceil(1.5 * input) + 2', 'cells = input')
    """
    factor = f"{tape.per_symbol:g}"
    cells = f"{factor} * input" if tape.per_symbol.is_integer() else f"ceil({factor} * input)"
    return f"cells = {'input' if factor == '1' else cells}" + (f" + {tape.extra}" if tape.extra else "")
