"""How far a counted share can be trusted."""

import math

CONFIDENCE = 0.95


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
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if _at_least(successes, count, middle) < 1 - CONFIDENCE:
            low = middle
        else:
            high = middle
    return low


def _at_least(successes: int, count: int, rate: float) -> float:
    """The probability of this many successes or more."""
    if not 0 < rate < 1:
        return float(rate >= 1)
    log_choose = math.lgamma(count + 1)
    return math.fsum(
        math.exp(
            log_choose
            - math.lgamma(k + 1)
            - math.lgamma(count - k + 1)
            + k * math.log(rate)
            + (count - k) * math.log1p(-rate)
        )
        for k in range(successes, count + 1)
    )
