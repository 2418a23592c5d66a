import numpy as np

from neuralgpu.tasks import get_task
from neuralgpu.training.data import TrainingData


def test_a_pool_holds_no_more_than_its_examples() -> None:
    data = TrainingData(get_task("badd"), examples=30, seed=0)
    rng = np.random.default_rng(0)
    seen = {tuple(row) for _ in range(50) for row in data.minibatch(rng, 32, level=20, size=20).inputs.tolist()}
    assert len(seen) == 30


def test_without_a_pool_examples_do_not_repeat() -> None:
    data = TrainingData(get_task("badd"), examples=0, seed=0)
    rng = np.random.default_rng(0)
    seen = {tuple(row) for _ in range(50) for row in data.minibatch(rng, 32, level=20, size=20).inputs.tolist()}
    assert len(seen) == 50 * 32


def test_inputs_keep_their_targets() -> None:
    task = get_task("badd")
    batch = TrainingData(task, examples=100, seed=0).minibatch(np.random.default_rng(0), 8, level=6, size=6)
    for tape, target in zip(*batch, strict=True):
        assert task.decode(target) == task.answer(task.decode(tape))


def test_the_seed_alone_decides_a_pool() -> None:
    first, second = (TrainingData(get_task("copy"), 10, seed=1) for _ in range(2))
    first.minibatch(np.random.default_rng(0), 4, level=3, size=3)  # another level before
    batches = [data.minibatch(np.random.default_rng(9), 4, level=7, size=7) for data in (first, second)]
    assert np.array_equal(batches[0].inputs, batches[1].inputs)


def test_two_levels_with_the_same_size_have_a_pool_each() -> None:
    data = TrainingData(get_task("badd"), examples=30, seed=0)
    rng = np.random.default_rng(0)
    seen = {
        tuple(row)
        for level in (41, 42)
        for _ in range(50)
        for row in data.minibatch(rng, 32, level, size=20).inputs.tolist()
    }
    assert len(seen) == 60
