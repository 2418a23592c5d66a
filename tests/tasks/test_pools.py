"""Pools: what a training draws from where making an input is slow."""

import numpy as np

from neuralgpu.tasks import Batch, get_task
from neuralgpu.tasks.pools import EXAMPLES
from toy import Swap


def batches(seed: int, sizes: tuple[int, ...]) -> dict[int, Batch]:
    task = Swap().with_pools(seed, most_cells=41)
    return {size: task.sample(np.random.default_rng(3), 8, size) for size in sizes}


def test_seed_and_size_decide_a_pool_in_whatever_order_sizes_are_asked_for() -> None:
    first, second, other = batches(1, (5, 9)), batches(1, (9, 5)), batches(2, (5, 9))
    for size in (5, 9):
        assert np.array_equal(first[size].inputs, second[size].inputs)
        assert not np.array_equal(first[size].inputs, other[size].inputs)


def test_inputs_of_a_pool_keep_their_answers() -> None:
    task = Swap().with_pools(0, most_cells=41)
    inputs, targets = task.sample(np.random.default_rng(0), 50, 12)
    assert inputs.dtype == targets.dtype == np.int64
    for tape, target in zip(inputs, targets, strict=True):
        assert task.decode(target) == task.answer(task.decode(tape))


def test_longer_inputs_than_those_of_training_are_made_anew() -> None:
    made: list[int] = []

    class Counted(Swap):
        def random(self, rng: np.random.Generator, size: int) -> str:
            made.append(size)
            return super().random(rng, size)

    task = Counted().with_pools(0, most_cells=41)
    task.sample(np.random.default_rng(0), 2, 42)
    assert made == [42, 42]
    for seed in range(4):
        task.sample(np.random.default_rng(seed % 2), 2, 41)
    assert made.count(41) == 4


def test_a_pool_holds_no_more_than_its_examples() -> None:
    task = Swap().with_pools(0, most_cells=41)
    inputs = task.sample(np.random.default_rng(0), 4 * EXAMPLES, 41).inputs
    assert 0.95 * EXAMPLES < len(np.unique(inputs, axis=0)) <= EXAMPLES


def test_a_task_that_draws_for_itself_draws_the_same_with_pools_as_without() -> None:
    task = get_task("badd")
    with_pools, without = (each.sample(np.random.default_rng(0), 5, 9) for each in (task.with_pools(1, 41), task))
    assert np.array_equal(with_pools.inputs, without.inputs)
