"""How far a counted share can be trusted."""

import math
from functools import cache

CONFIDENCE = 0.95
HALVINGS = 60
"""More would not change a double."""
CLOSE = 1e-14
"""A continued fraction that changes by less is done."""


@cache
def lower_bound(successes: int, count: int) -> float:
    """The share that the true rate exceeds with 95 % confidence (one-sided Clopper-Pearson).

    Without a failure in N trials this is 0.05^(1/N), close to the rule of three, 1 - 3/N.

    >>> round(lower_bound(1000, 1000), 4)
    0.997
    >>> round(lower_bound(9, 10), 4)
    0.6058
    >>> lower_bound(0, 10)
    0.0
    """
    if not 0 <= successes <= count or count < 1:
        raise ValueError(f"{successes} successes in {count} trials")
    if successes == 0:
        return 0.0
    if successes == count:
        return float((1 - CONFIDENCE) ** (1 / count))
    low, high = 0.0, successes / count
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if at_least(successes, count, middle) < 1 - CONFIDENCE:
            low = middle
        else:
            high = middle
    return low


def at_least(successes: int, count: int, rate: float) -> float:
    """The probability of this many successes or more, at least 1, at a rate between 0 and 1.

    This is the regularised incomplete beta function of the rate, with a = successes and b = count - successes + 1.
    """
    a, b = successes, count - successes + 1
    log_scale = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(rate) + b * math.log1p(-rate)
    if rate < (a + 1) / (a + b + 2):  # where the continued fraction converges fast; else its mirror image does
        return math.exp(log_scale) * _continued_fraction(a, b, rate) / a
    return 1 - math.exp(log_scale) * _continued_fraction(b, a, 1 - rate) / b


def _continued_fraction(a: int, b: int, x: float) -> float:
    """That of the incomplete beta function, by Lentz's method; about sqrt(max(a, b)) terms."""
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    value, m = d, 0
    while True:
        m += 1
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            c, d = 1 + term / c, 1 / (1 + term * d)
            value *= c * d
        if abs(c * d - 1) < CLOSE:
            return value
