"""The stack-RNN against its equations, and what it learns where only a stack helps."""

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from neuralgpu import engine
from neuralgpu.engine import stack
from neuralgpu.engine.compute import Compute
from neuralgpu.models.baseline_config import StackRNNConfig
from neuralgpu.models.stack_rnn import StackRNN
from neuralgpu.network import Network
from neuralgpu.tasks import get_task

Floats = NDArray[np.float64]
needs_native = pytest.mark.skipif(not engine.available(), reason=engine.why())


def model(scale: float = 0.6, seed: int = 0, **sizes: int | bool) -> StackRNN:
    return StackRNN(StackRNNConfig(**{"hidden": 9, "stacks": 2, **sizes}), 4, seed, scale=scale)  # type: ignore[arg-type]


def squash(x: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-x)))


@pytest.mark.parametrize("hard", [False, True])
def test_a_step_is_as_its_equations_say(hard: bool) -> None:
    net = model()
    U, P, A, D, V = (weight.numpy().astype(float) for weight in net.weights)
    stacks = np.random.default_rng(0).uniform(-1, 1, (2, 6))
    logits, after = net.step(torch.tensor([3]), torch.from_numpy(stacks)[None].float(), hard)
    h = squash(U[3] + sum(P[s, i] * stacks[s, i] for s in range(2) for i in range(2)))
    for s in range(2):
        push, pop, stay = np.exp(A[:, s] @ h) / np.exp(A[:, s] @ h).sum()
        if hard:
            push, pop, stay = np.eye(3)[np.argmax([push, pop, stay])]
        above, below = [squash(D[s] @ h), *stacks[s, :-1]], [*stacks[s, 1:], -1.0]
        expected = push * np.array(above) + pop * np.array(below) + stay * stacks[s]
        np.testing.assert_allclose(after[0, s].detach().numpy(), expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(logits[0].detach().numpy(), V @ h, rtol=1e-5, atol=1e-6)


def test_the_authors_sizes() -> None:
    net = StackRNN(StackRNNConfig(), symbols=4)
    assert (net.config.hidden, net.config.stacks, net.config.depth) == (100, 10, 2)
    assert sum(weight.numel() for weight in net.parameters()) == 5 * 100 + 20 * 100 + 30 * 100 + 10 * 100 + 5 * 100


def test_it_answers_a_tape_and_stops() -> None:
    task, net = get_task("badd"), model(scale=2.0)
    scores = net(torch.from_numpy(task.encode("0110+0101")), steps=0)
    assert scores.shape == (1, 9, 4)
    assert torch.equal(scores.sum(dim=-1), torch.ones(1, 9))
    row = scores.argmax(dim=-1)[0].tolist()
    if 0 in row:
        assert not any(row[row.index(0) :])


def test_it_never_sees_the_answer() -> None:
    """What is written follows from the question alone, symbol by symbol."""
    net = model(scale=2.0, seed=1)
    questions = torch.tensor([[2, 3, 1, 4]])
    answer = net.answer(questions, torch.tensor([4]), 6, choices=4)[0]
    text = questions[0].tolist()
    for symbol in answer.tolist():
        logits = net.read(torch.tensor([text]))[0, -1]
        assert int(logits[:4].argmax()) == symbol
        if symbol == 0:
            break
        text.append(symbol)


def test_a_network_of_it_is_used_like_any_other() -> None:
    task = get_task("badd")
    assert set(Network(task, model(scale=2.0))("0110+0101")) <= set("01+ ")


@needs_native
def test_it_learns_to_count_on_a_stack() -> None:
    """a^n b^n: the number of b and the end are known only from a count, here of up to 11 and then of up to 20."""
    net = StackRNN(StackRNNConfig(hidden=20, stacks=2), 4, seed=2, compute=Compute("native"))
    rng = np.random.default_rng(0)

    def text(n: int) -> list[int]:
        return [1] * n + [2] * n + [0]

    def train(counts: list[int], rate: float) -> stack.Symbols:
        rows = np.zeros((len(counts), 2 * max(counts) + 1), dtype=np.int64)
        for row, n in zip(rows, counts, strict=True):
            row[: 2 * n + 1] = text(n)
        lengths = np.array([2 * n + 1 for n in counts])
        return stack.train(net.weights, rows, lengths, lengths // 2 + 1, rate=rate, bptt=0, every=0)[1]

    for longest in [3] * 10 + [6] * 20 + [11] * 60:
        train(rng.integers(1, longest + 1, size=100).tolist(), 0.1)
    counts = [2, 5, 11, 15, 20]
    assert train(counts, 0.0).tolist() == counts
