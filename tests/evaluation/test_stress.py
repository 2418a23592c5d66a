import numpy as np
import pytest

from neuralgpu.evaluation.score import evaluate_stress
from neuralgpu.evaluation.stress import stress_inputs
from neuralgpu.models.config import NeuralGPUConfig
from neuralgpu.models.neural_gpu import NeuralGPU
from neuralgpu.network import Network
from neuralgpu.tasks import TASKS, Tapes, Task, get_task


class Right(Network):
    """Answers as the task does."""

    def answers(self, tapes: Tapes) -> Tapes:
        return np.concatenate([self.task.encode_answer(self.task.decode(tape)) for tape in tapes])


@pytest.mark.parametrize("task", TASKS.values(), ids=lambda task: task.name)
@pytest.mark.parametrize("size", [1, 2, 3, 10, 21])
def test_every_stress_input_is_an_input_of_its_size(task: Task, size: int) -> None:
    for name, text in stress_inputs(task, size).items():
        assert task.size(text) == size, name


def test_the_longest_carry_runs_through_all_digits() -> None:
    inputs = stress_inputs(get_task("badd"), 8)
    assert inputs["longest carry"] == "11111111+10000000"
    assert get_task("badd").answer(inputs["longest carry"]) == "000000001"


def test_sparse_and_dense_operands_have_their_density() -> None:
    inputs = stress_inputs(get_task("bmul"), 2000)
    assert inputs["sparse"].count("1") == pytest.approx(0.05 * 4000, rel=0.3)
    assert inputs["dense"].count("1") == pytest.approx(0.95 * 4000, rel=0.02)


def test_the_seed_decides_what_is_random_in_them() -> None:
    first, again, other = (stress_inputs(get_task("badd"), 30, seed) for seed in (1, 1, 2))
    assert first == again != other
    assert first["zeros"] == other["zeros"]


@pytest.mark.parametrize("name", ["badd", "bmul", "sort", "duplicate"])
def test_a_network_that_is_always_right_passes_them_all(name: str) -> None:
    task = get_task(name)
    score = evaluate_stress(Right(task, NeuralGPU(NeuralGPUConfig(maps=8), task.symbols)), size=12)
    assert score.inputs == "stress"
    assert score.exact_bound is None
    assert score.exact == score.count == len(stress_inputs(task, 12))
