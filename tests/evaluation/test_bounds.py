import math
import time
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuralgpu.evaluation.bounds import at_least, lower_bound


def exactly_at_least(successes: int, count: int, rate: float) -> float:
    """The probability as a sum of fractions, which nothing rounds."""
    p = Fraction(rate)
    return float(sum(math.comb(count, k) * p**k * (1 - p) ** (count - k) for k in range(successes, count + 1)))


@given(count=st.integers(1, 60), data=st.data())
def test_the_tail_is_that_of_exact_fractions(count: int, data: st.DataObject) -> None:
    successes = data.draw(st.integers(1, count))
    rate = data.draw(st.floats(0.001, 0.999))
    assert at_least(successes, count, rate) == pytest.approx(exactly_at_least(successes, count, rate), rel=1e-9)


@given(count=st.integers(1, 150), data=st.data())
def test_at_the_bound_so_many_successes_have_a_chance_of_five_percent(count: int, data: st.DataObject) -> None:
    successes = data.draw(st.integers(1, count))
    assert exactly_at_least(successes, count, lower_bound(successes, count)) == pytest.approx(0.05, rel=1e-9)


@given(count=st.integers(1, 10**9))
def test_without_failures_the_bound_is_the_rule_of_three(count: int) -> None:
    assert lower_bound(count, count) == pytest.approx(0.05 ** (1 / count))
    assert lower_bound(count, count) > 1 - 3 / count


@given(count=st.integers(1, 10**9))
def test_the_bound_of_a_single_success_is_that_of_any_success(count: int) -> None:
    assert lower_bound(1, count) == pytest.approx(-math.expm1(math.log(0.95) / count), rel=1e-6)


@given(count=st.integers(1, 200), data=st.data())
def test_the_bound_is_below_the_share_and_grows_with_successes(count: int, data: st.DataObject) -> None:
    successes = data.draw(st.integers(0, count - 1))
    assert lower_bound(successes, count) <= successes / count
    assert lower_bound(successes, count) < lower_bound(successes + 1, count)


@pytest.mark.parametrize(
    ("successes", "count", "bound"),
    [
        (1000, 40_000, 0.0237290501),
        (20_000, 40_000, 0.4958754618),
        (39_999, 40_000, 0.9998814089),
        (500, 1000, 0.4735177312),
        (9, 10, 0.6058366976),
    ],
)
def test_bounds_of_many_trials_are_those_of_the_whole_sum(successes: int, count: int, bound: float) -> None:
    assert lower_bound(successes, count) == pytest.approx(bound, abs=1e-10)


def test_a_billion_trials_take_no_time() -> None:
    begun = time.process_time()
    half, most = lower_bound(500_000_000, 10**9), lower_bound(999_999_990, 10**9)
    assert time.process_time() - begun < 1
    assert half == pytest.approx(0.5 - 1.645 * math.sqrt(0.25 / 10**9), abs=1e-7)
    assert 1 - 17e-9 < most < 1 - 16.9e-9  # the Poisson bound of ten failures is 16.96


@pytest.mark.parametrize(("successes", "count"), [(11, 10), (-1, 10), (0, 0)])
def test_impossible_counts_are_refused(successes: int, count: int) -> None:
    with pytest.raises(ValueError, match=f"{successes} successes in {count} trials"):
        lower_bound(successes, count)
