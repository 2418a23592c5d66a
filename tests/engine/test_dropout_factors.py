"""Dropout factors depend on seed, example, step and element, and on nothing else."""

import numpy as np
import pytest

from neuralgpu.engine.dropout import factors, noise


def test_an_example_has_the_same_factors_in_any_batch() -> None:
    assert (factors(3, 8, 5, 100, 0.2)[:4] == factors(3, 4, 5, 100, 0.2)).all()


@pytest.mark.parametrize("other", [(4, 5), (3, 6)])
def test_seed_and_step_change_the_factors(other: tuple[int, int]) -> None:
    seed, step = other
    assert (factors(3, 2, 5, 200, 0.5) != factors(seed, 2, step, 200, 0.5)).any()


def test_examples_and_neighbouring_elements_are_uncorrelated() -> None:
    dropped = factors(0, 200, 0, 4000, 0.1) == 0  # 800,000 draws
    assert abs(dropped.mean() - 0.1) < 0.002
    assert abs((dropped[:, 1:] & dropped[:, :-1]).mean() - 0.01) < 0.001
    assert abs((dropped[1:] & dropped[:-1]).mean() - 0.01) < 0.001


def test_what_stays_is_scaled_up_to_keep_the_mean() -> None:
    assert set(np.unique(factors(0, 2, 0, 1000, 0.25))) == {np.float32(0), np.float32(4 / 3)}


def test_a_rate_of_one_is_an_error() -> None:
    with pytest.raises(ValueError, match="dropout rate is 1"):
        factors(0, 1, 0, 10, 1.0)


def test_noise_is_uniform_between_minus_one_and_one_and_not_the_dropout_again() -> None:
    drawn = noise(seed=3, batch=4, step=2, elements=50_000)
    assert drawn.min() >= -1
    assert drawn.max() < 1
    assert abs(drawn.mean()) < 0.01
    assert drawn.std() == pytest.approx(3**-0.5, abs=0.01)
    dropped = factors(seed=3, batch=4, step=2, elements=50_000, rate=0.5) == 0
    assert abs(drawn[dropped].mean()) < 0.01
