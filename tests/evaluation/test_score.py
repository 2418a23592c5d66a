import hashlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from neuralgpu.errors import UserError
from neuralgpu.evaluation.report import Score
from neuralgpu.evaluation.score import KEPT, evaluate
from neuralgpu.models.config import NeuralGPUConfig
from neuralgpu.models.neural_gpu import NeuralGPU
from neuralgpu.network import Network
from neuralgpu.tasks import Tape, Tapes, Task, get_task, open_task
from toy import Swap

SEEN = {"badd": "77cfe1d87469e76d", "sort": "832249082de207f7"}
"""Of the inputs that published scores were counted on."""


class AlmostRight(Network):
    """Copies, but gets the last cell wrong whenever the first symbol is a 1."""

    def answers_settled(self, tapes: Tapes, progress: object = None) -> tuple[Tapes, None]:
        outputs = tapes.copy()
        outputs[:, -1] = np.where(tapes[:, 0] == 2, 0, tapes[:, -1])
        return outputs, None


class Right(Network):
    """Answers as the task does."""

    def answers_settled(self, tapes: Tapes, progress: object = None) -> tuple[Tapes, None]:
        return np.concatenate([self.task.encode_answer(self.task.decode(tape)) for tape in tapes]), None


class HalfSettled(AlmostRight):
    """Settles whenever the last symbol is a 1."""

    def answers_settled(self, tapes: Tapes, progress: object = None) -> tuple[Tapes, NDArray[np.bool_]]:  # type: ignore[override]
        return super().answers_settled(tapes)[0], tapes[:, -1] == 2


class Recorder(Network):
    """Keeps what it is asked."""

    def __init__(self, task: Task) -> None:
        super().__init__(task, tiny(task))
        self.asked: list[Tapes] = []

    def answers_settled(self, tapes: Tapes, progress: object = None) -> tuple[Tapes, None]:
        self.asked.append(tapes)
        return tapes, None


def tiny(task: Task) -> NeuralGPU:
    return NeuralGPU(NeuralGPUConfig(layers=1, width=1, maps=8), task.symbols)


@pytest.fixture
def almost_right() -> Network:
    task = get_task("copy")
    return AlmostRight(task, tiny(task))


def score_random(network: Network, size: int, count: int, seed: int = 0) -> Score:
    (score,) = evaluate(network, size, count, seed, stress=False).scores
    return score


def test_counts_are_those_of_the_outputs(almost_right: Network) -> None:
    score = score_random(almost_right, size=10, count=1000, seed=3)
    assert 400 < score.exact < 600
    assert score.right == 10 * 1000 - (1000 - score.exact)
    assert score.symbols == 10_000
    assert score.exact_bound is not None
    assert score.exact_bound < score.exact / 1000 < score.symbol_share


def test_a_report_has_random_and_stress_inputs_of_each_size(almost_right: Network) -> None:
    report = evaluate(almost_right, [30, 10], count=20, seed=5)
    assert (report.task, report.unit, report.evaluation_seed) == ("copy", "symbols", 5)
    assert [(score.size, score.inputs, score.count) for score in report.scores] == [
        (10, "random", 20),
        (10, "stress", 15),
        (30, "random", 20),
        (30, "stress", 15),
    ]


def test_cells_are_those_of_the_tape_and_sizes_the_task_s() -> None:
    task = get_task("badd").on(Tape(extra=16, fill="0"))
    score = score_random(Recorder(task), size=20, count=3)
    assert (score.size, score.cells, score.symbols) == (20, 57, 3 * 57)


@pytest.mark.parametrize("name", ["badd", "bmul", "sort", "duplicate"])
def test_a_network_that_is_always_right_gets_everything_right(name: str) -> None:
    task = get_task(name)
    random, stress = evaluate(Right(task, tiny(task)), 12, count=20).scores
    assert random.exact == random.count == 20
    assert stress.exact == stress.count == len(task.stress(12, np.random.default_rng(0)))
    assert stress.exact_bound is None


def test_counter_examples_show_input_expected_and_got(almost_right: Network) -> None:
    score = score_random(almost_right, size=10, count=100)
    assert len(score.counter_examples) == KEPT
    for example in score.counter_examples:
        assert example.input[0] == "1"
        assert example.expected == example.input
        assert example.got == example.input[:-1]


def test_pad_counts_as_a_symbol() -> None:
    class NeverPad(Right):
        def answers_settled(self, tapes: Tapes, progress: object = None) -> tuple[Tapes, None]:
            return super().answers_settled(tapes)[0].clip(min=1), None

    task = get_task("badd")
    assert score_random(NeverPad(task, tiny(task)), size=5, count=20).exact == 0


def test_the_seed_decides_the_inputs(almost_right: Network) -> None:
    first, again, other = (evaluate(almost_right, 12, count=50, seed=seed).scores for seed in (1, 1, 2))
    assert first == again != other


@pytest.mark.parametrize("name", SEEN)
@pytest.mark.parametrize("chunk", [1, 10, 13, 1000])
def test_the_inputs_of_a_seed_stay_the_same_however_many_are_computed_at_once(name: str, chunk: int) -> None:
    network = Recorder(get_task(name))
    network.chunk = lambda length: chunk  # type: ignore[method-assign]
    evaluate(network, (5, 20), count=37, seed=3)
    assert (
        hashlib.sha256(b"".join(tapes.astype("<i8").tobytes() for tapes in network.asked)).hexdigest()[:16]
        == SEEN[name]
    )


@pytest.mark.parametrize(
    ("count", "chunk", "asked"),
    [(37, 16, [16, 16, 5]), (7, 16, [7]), (10, 10, [10]), (20, 1000, [20]), (3, 1, [1, 1, 1]), (1, 7, [1])],
)
def test_inputs_are_put_together_to_the_network_s_own_chunk(count: int, chunk: int, asked: list[int]) -> None:
    network = Recorder(get_task("badd"))
    network.chunk = lambda length: chunk  # type: ignore[method-assign]
    assert score_random(network, size=5, count=count).count == count
    assert [len(tapes) for tapes in network.asked] == asked


@pytest.mark.parametrize("count", [1, 9, 10, 11, 37])
def test_no_more_inputs_are_scored_than_asked(count: int) -> None:
    network = Recorder(get_task("sort"))
    random, stress = evaluate(network, 9, count).scores
    assert (random.count, stress.count) == (count, 15)
    assert sum(map(len, network.asked)) == count + 15


def test_the_network_s_size_does_not_change_the_inputs() -> None:
    task = get_task("badd")
    seen = []
    for width in (1, 4):
        network = AlmostRight(task, NeuralGPU(NeuralGPUConfig(width=width, maps=8), task.symbols))
        seen.append(score_random(network, size=500, count=30).counter_examples)
    assert seen[0] == seen[1]


def test_settled_answers_are_counted_among_the_wrong_and_unsettled_ones_among_the_right() -> None:
    task = get_task("copy")
    (score,) = evaluate(HalfSettled(task, tiny(task)), 9, count=400, stress=False).scores
    assert 150 < score.exact < 250
    assert score.wrong_settled is not None
    assert score.right_unsettled is not None
    assert 70 < score.wrong_settled < 130  # starts and ends with a 1
    assert 70 < score.right_unsettled < 130  # starts and ends with a 0


def test_progress_counts_the_inputs_of_each_size(almost_right: Network) -> None:
    told: list[tuple[int, int, int]] = []
    almost_right.chunk = lambda length: 4  # type: ignore[method-assign]
    evaluate(almost_right, (40, 80), count=7, progress=lambda *told_now: told.append(told_now))
    for size in (40, 80):
        done = [now for its_size, now, total in told if its_size == size and total == 7 + 15]
        assert done == [4, 7, 11, 15, 19, 22]


@pytest.mark.parametrize(
    ("sizes", "count", "seed", "complaint"),
    [
        (0, 5, 0, "size 0 is too small; it must be at least 1"),
        ([20, -1], 5, 0, "size -1 is too small"),
        (10**8, 5, 0, "size 100000000 is too large; it must be at most 10,000,000 symbols"),
        ([], 5, 0, "no sizes are given"),
        (5, 0, 0, "count is 0; it must be from 1 to 2147483647"),
        (5, -3, 0, "count is -3; it must be from 1 to 2147483647"),
        (5, 5, -1, "seed is -1; it must be from 0"),
    ],
)
def test_what_cannot_be_evaluated_is_refused_in_one_sentence(
    sizes: int | list[int], count: int, seed: int, complaint: str, almost_right: Network
) -> None:
    with pytest.raises(UserError, match=complaint):
        evaluate(almost_right, sizes, count, seed)


def test_a_task_that_is_not_known_here_is_refused_in_one_sentence() -> None:
    task = open_task("shuffle", "abc")
    with pytest.raises(UserError, match="the task shuffle is not known here, so it has no random inputs"):
        evaluate(Network(task, tiny(task)), 5)


def test_a_task_of_one_s_own_is_evaluated_on_inputs_of_its_own_alphabet() -> None:
    network = Recorder(Swap())
    random, stress = evaluate(network, 9, count=20).scores
    assert (random.count, stress.count) == (20, 20)
    assert {symbol for tapes in network.asked for symbol in np.unique(tapes)} == {1, 2, 3}
    right = evaluate(Right(Swap(), tiny(Swap())), 9, count=20).scores
    assert [score.exact for score in right] == [20, 20]


def test_a_task_without_stress_inputs_has_no_score_for_them() -> None:
    class Calm(Swap):
        def stress(self, size: int, rng: np.random.Generator) -> dict[str, str]:
            return {}

    assert [score.inputs for score in evaluate(Recorder(Calm()), 9, count=20).scores] == ["random"]


def test_stress_inputs_without_a_known_answer_are_left_out() -> None:
    class Shy(Swap):
        def answer(self, text: str) -> str | None:  # type: ignore[override]
            return None if set(text) == {"c"} else super().answer(text)

    _, stress = evaluate(Recorder(Shy()), 9, count=20).scores
    assert stress.count == 19


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


def test_inference_keeps_no_gradients(monkeypatch: pytest.MonkeyPatch) -> None:
    task = get_task("copy")
    model = tiny(task)
    seen: list[bool] = []
    read = model.read

    def reading(s: torch.Tensor) -> torch.Tensor:
        seen.append(s.requires_grad)
        return read(s)

    monkeypatch.setattr(model, "read", reading)
    Network(task, model)("010")
    model(torch.tensor([[1, 2, 1]]), 3)
    assert seen == [False, True]
