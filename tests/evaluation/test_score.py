import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from neuralgpu.evaluation.score import KEPT, evaluate
from neuralgpu.models.config import NeuralGPUConfig
from neuralgpu.models.neural_gpu import NeuralGPU
from neuralgpu.network import Network
from neuralgpu.tasks import Tapes, get_task


class AlmostRight(Network):
    """Copies, but gets the last cell wrong whenever the first symbol is a 1."""

    def answers(self, tapes: Tapes) -> Tapes:
        outputs = tapes.copy()
        outputs[:, -1] = np.where(tapes[:, 0] == 2, 0, tapes[:, -1])
        return outputs


@pytest.fixture
def almost_right() -> Network:
    task = get_task("copy")
    return AlmostRight(task, NeuralGPU(NeuralGPUConfig(maps=8), task.symbols))


def test_counts_are_those_of_the_outputs(almost_right: Network) -> None:
    score = evaluate(almost_right, size=10, count=1000, seed=3)
    assert 400 < score.exact < 600
    assert score.right == 10 * 1000 - (1000 - score.exact)
    assert score.symbols == 10_000
    assert score.exact_bound is not None
    assert score.exact_bound < score.exact / 1000 < score.symbol_share


def test_counter_examples_show_input_expected_and_got(almost_right: Network) -> None:
    score = evaluate(almost_right, size=10, count=100)
    assert len(score.counter_examples) == KEPT
    for example in score.counter_examples:
        assert example.input[0] == "1"
        assert example.expected == example.input
        assert example.got == example.input[:-1]


def test_pad_counts_as_a_symbol() -> None:
    class NeverPad(Network):
        def answers(self, tapes: Tapes) -> Tapes:
            return np.array([self.task.encode_answer(self.task.decode(tape))[0] for tape in tapes]).clip(min=1)

    task = get_task("badd")
    score = evaluate(NeverPad(task, NeuralGPU(NeuralGPUConfig(maps=8), task.symbols)), size=5, count=20)
    assert score.exact == 0


def test_the_seed_decides_the_inputs(almost_right: Network) -> None:
    first, again, other = (evaluate(almost_right, size=12, count=50, seed=seed) for seed in (1, 1, 2))
    assert first == again != other


def test_the_network_s_size_does_not_change_the_inputs() -> None:
    task = get_task("badd")
    seen = []
    for width in (1, 4):
        network = AlmostRight(task, NeuralGPU(NeuralGPUConfig(width=width, maps=8), task.symbols))
        seen.append(evaluate(network, size=500, count=30).counter_examples)
    assert seen[0] == seen[1]


def test_progress_adds_up_to_the_count(almost_right: Network) -> None:
    done: list[int] = []
    evaluate(almost_right, size=4001, count=7, progress=done.append)
    assert sum(done) == 7


def test_a_score_as_data_has_both_scores_and_the_bound(almost_right: Network) -> None:
    data = evaluate(almost_right, size=10, count=10).to_dict()
    assert {"exact", "exact_share", "exact_bound_95", "symbol_share", "counter_examples"} <= data.keys()


def test_chunks_do_not_change_the_answers() -> None:
    task = get_task("badd")
    network = Network(task, NeuralGPU(NeuralGPUConfig(layers=1, width=1, maps=8), task.symbols))
    tapes = task.sample(np.random.default_rng(0), 9, 5).inputs
    network.chunk = lambda length: 4  # type: ignore[method-assign]
    one_by_one = np.concatenate([network.answers(tape[None]) for tape in tapes])
    assert np.array_equal(network.answers(tapes), one_by_one)


STATUS = Path("/proc/self/status")


@pytest.mark.skipif(not STATUS.exists(), reason="the peak of this process alone is known on Linux only")
def test_four_thousand_cells_run_in_little_memory() -> None:
    program = """
import re
from pathlib import Path
import torch
torch.set_num_threads(1)
from neuralgpu.models.config import NeuralGPUConfig
from neuralgpu.models.neural_gpu import NeuralGPU
from neuralgpu.network import Network
from neuralgpu.tasks import get_task
network = Network(get_task("copy"), NeuralGPU(NeuralGPUConfig(layers=1, width=1, maps=8), 3))
assert len(network.task.encode("01" * 2000 + "1")[0]) == 4001
network("01" * 2000 + "1")  # all steps of a small network
with torch.inference_mode():  # and some of one of the paper's size
    model = NeuralGPU(NeuralGPUConfig(), 3)
    s = model.embed(torch.ones(1, 4001, dtype=torch.long))
    for t in range(5):
        s = model.step(s, t)
print(*re.findall(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text()))
"""
    process = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True)
    kilobytes = int(process.stdout)
    assert kilobytes < 600 * 1024


def test_inference_keeps_no_gradients() -> None:
    task = get_task("copy")
    model = NeuralGPU(NeuralGPUConfig(layers=1, width=1, maps=8), task.symbols)
    seen: list[bool] = []
    model.register_forward_hook(lambda module, inputs, output: seen.append(output.requires_grad))
    Network(task, model)("010")
    model(torch.tensor([[1, 2, 1]]))
    assert seen == [False, True]
