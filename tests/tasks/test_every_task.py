"""What holds for every task, those of one's own included."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuralgpu.tasks import TASKS, Mixture, Task, get_task
from toy import Swap

EVERY = [*TASKS.values(), get_task("mul7"), Swap()]
MIXTURES = (Mixture(), Mixture(patterned=0.5, any_density=0.3, runs=0.2))


@pytest.fixture(params=EVERY, ids=lambda task: task.name)
def task(request: pytest.FixtureRequest) -> Task:
    found: Task = request.param
    return found


def test_its_symbols_are_distinct_and_none_is_a_space(task: Task) -> None:
    assert len(set(task.alphabet)) == len(task.alphabet) == task.symbols - 1
    assert " " not in task.alphabet


@given(task=st.sampled_from(EVERY), size=st.integers(1, 30), seed=st.integers(0), mixture=st.sampled_from(MIXTURES))
def test_sampled_targets_are_the_answers(task: Task, size: int, seed: int, mixture: Mixture) -> None:
    size = task.nearest_size(size)
    inputs, targets = task.sample(np.random.default_rng(seed), 3, size, mixture)
    assert inputs.shape == targets.shape == (3, task.length(size))
    for tape, target in zip(inputs, targets, strict=True):
        text = task.decode(tape)
        assert task.size(text) == size
        assert task.read(target) == task.answer(text)
        assert np.array_equal(task.encode(text)[0], tape)
        assert np.array_equal(task.encode_answer(text)[0], target)


@given(task=st.sampled_from(EVERY), size=st.integers(1, 30), seed=st.integers(0))
def test_a_random_input_has_its_size_and_fits_with_its_answer(task: Task, size: int, seed: int) -> None:
    size = task.nearest_size(size)
    text = task.random(np.random.default_rng(seed), size)
    assert task.size(text) == size
    assert len(text) == task.input_symbols(size)
    assert task.read(task.encode(text)[0]) == text
    assert task.read(task.encode_answer(text)[0]) == task.answer(text)


@pytest.mark.parametrize("size", [1, 2, 3, 10, 21])
def test_every_stress_input_is_an_input_of_its_size(task: Task, size: int) -> None:
    size = task.nearest_size(size)
    texts = task.stress(size, np.random.default_rng(size))
    assert texts
    for name, text in texts.items():
        assert task.size(text) == size, name
        assert task.answer(text) is not None, name


def test_the_same_generator_gives_the_same_inputs(task: Task) -> None:
    first, second = (task.sample(np.random.default_rng(5), 4, 9) for _ in range(2))
    assert np.array_equal(first.inputs, second.inputs)


def test_its_example_is_an_input_and_always_the_same(task: Task) -> None:
    assert task.size(task.example()) > 0
    assert task.example() == task.example()
    assert task.answer(task.example()) is not None


@given(task=st.sampled_from(EVERY), size=st.integers(1, 1000))
def test_its_nearest_size_is_one_that_it_has_and_no_larger_unless_it_is_the_smallest(task: Task, size: int) -> None:
    nearest = task.nearest_size(size)
    assert task.nearest_size(nearest) == nearest
    assert nearest <= size or nearest == task.nearest_size(1)


def test_its_tape_grows_with_the_size(task: Task) -> None:
    extents = [task.extent(size) for size in range(1, 100)]
    assert extents == sorted(extents)
    assert extents == [task.length(size) for size in range(1, 100)]
