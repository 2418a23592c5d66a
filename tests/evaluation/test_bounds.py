import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuralgpu.evaluation.bounds import lower_bound


@given(count=st.integers(1, 3000))
def test_without_failures_the_bound_is_the_rule_of_three(count: int) -> None:
    assert lower_bound(count, count) == pytest.approx(0.05 ** (1 / count))
    assert lower_bound(count, count) > 1 - 3 / count


@given(count=st.integers(1, 200), data=st.data())
def test_the_bound_is_below_the_share_and_grows_with_successes(count: int, data: st.DataObject) -> None:
    successes = data.draw(st.integers(0, count - 1))
    assert lower_bound(successes, count) <= successes / count
    assert lower_bound(successes, count) < lower_bound(successes + 1, count)


def test_impossible_counts_are_refused() -> None:
    with pytest.raises(ValueError, match="11 successes in 10 trials"):
        lower_bound(11, 10)
