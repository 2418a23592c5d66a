import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuralgpu.tasks import get_task
from neuralgpu.tasks.digits import DENSITIES, Mixture, digits_in_runs, random_digits


@given(
    base=st.integers(2, 10),
    places=st.integers(1, 30),
    mixture=st.builds(Mixture, patterned=st.floats(0, 1), any_density=st.floats(0, 1)),
    seed=st.integers(0),
)
def test_digits_are_digits_of_the_base(base: int, places: int, mixture: Mixture, seed: int) -> None:
    digits = random_digits(np.random.default_rng(seed), base, 20, places, mixture)
    assert digits.shape == (20, places)
    assert digits.min() >= 0
    assert digits.max() < base


def share_of_constant_rows(patterned: float) -> float:
    digits = random_digits(np.random.default_rng(0), 2, 10_000, 20, Mixture(patterned=patterned))
    return float((digits == digits[:, :1]).all(axis=1).mean())


def test_uniform_digits_are_hardly_ever_constant_and_patterned_ones_often() -> None:
    assert share_of_constant_rows(0.0) < 0.001
    assert share_of_constant_rows(0.3) == pytest.approx(0.3 * (1 / 5 + 2 / 5 / 20), abs=0.03)


def test_patterned_samples_have_right_answers() -> None:
    task = get_task("bmul")
    inputs, targets = task.sample(np.random.default_rng(0), 200, 9, Mixture(patterned=1.0))
    texts = [task.decode(tape) for tape in inputs]
    assert [task.decode(target) for target in targets] == [task.answer(text) for text in texts]
    assert any(text.split("*")[0] == text.split("*")[1] for text in texts)


def test_numbers_of_any_density_have_all_densities_alike() -> None:
    digits = random_digits(np.random.default_rng(0), 10, 9_000, 400, Mixture(any_density=1.0))
    shares = (digits != 0).mean(axis=1)
    nearest = np.abs(shares[:, None] - DENSITIES).argmin(axis=1)
    assert np.bincount(nearest, minlength=len(DENSITIES)) / 1_000 == pytest.approx(1, abs=0.15)


@given(base=st.integers(2, 10), places=st.integers(1, 30), seed=st.integers(0))
def test_digits_in_runs_are_digits_of_the_base(base: int, places: int, seed: int) -> None:
    digits = digits_in_runs(np.random.default_rng(seed), base, 20, places)
    assert digits.shape == (20, places)
    assert digits.min() >= 0
    assert digits.max() < base


def test_digits_in_runs_are_often_the_one_before_them() -> None:
    digits = digits_in_runs(np.random.default_rng(0), 2, 10_000, 20)
    same, before = digits[:, 1:] == digits[:, :-1], digits[:, :-1]
    assert same[before == 1].mean() > same[before == 0].mean() > 0.6
    assert (digits == 1).all(axis=1).mean() > 0.02
