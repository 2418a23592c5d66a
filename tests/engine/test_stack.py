"""The native stack-RNN computes what models/stack_rnn.py computes, with the gradients that autograd finds."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from neuralgpu import engine
from neuralgpu.engine import stack
from neuralgpu.engine.compute import Compute
from neuralgpu.models.baseline_config import StackRNNConfig
from neuralgpu.models.stack_rnn import StackRNN

pytestmark = pytest.mark.skipif(not engine.available(), reason=engine.why())

Symbols = stack.Symbols


def model(scale: float = 0.6, native: bool = False, **sizes: int | bool) -> StackRNN:
    """A small network on texts of additions, with weights large enough to move its stacks."""
    config = StackRNNConfig(**{"hidden": 12, "stacks": 3, **sizes})  # type: ignore[arg-type]
    return StackRNN(config, 4, compute=Compute("native" if native else "torch"), scale=scale)


def texts(count: int, longest: int, seed: int = 0) -> Symbols:
    return np.random.default_rng(seed).integers(5, size=(count, longest))


def gradients(net: StackRNN, text: Symbols, first: int) -> tuple[float, list[Tensor]]:
    """The loss of the symbols from `first` on, and what autograd says of it."""
    symbols = torch.from_numpy(text)
    logits = net.read(symbols[None, :-1])[0]
    loss = F.cross_entropy(logits[first - 1 :], symbols[first:], reduction="sum")
    weights = (net.U, net.P, net.A, net.D, net.V)
    return loss.item(), list(torch.autograd.grad(loss, weights, materialize_grads=True))


def moved(net: StackRNN, text: Symbols, first: int, **options: float) -> tuple[float, list[Tensor]]:
    """The loss, and how far the native engine moves the weights of a copy, divided by the rate."""
    weights = [weight.clone() for weight in net.weights]
    losses, _ = stack.train(weights, text[None], np.array([len(text)]), np.array([first]), **options)  # type: ignore[arg-type]
    rate = options["rate"]
    return float(losses[0]), [(b - a) / rate for a, b in zip(weights, net.weights, strict=True)]


@given(
    hidden=st.sampled_from([1, 7, 8, 20, 100]),
    stacks=st.integers(1, 4),
    depth=st.integers(1, 3),
    longest=st.integers(2, 30),
    data=st.data(),
)
@settings(max_examples=25)
def test_an_update_follows_the_gradient_of_a_whole_sequence(
    hidden: int, stacks: int, depth: int, longest: int, data: st.DataObject
) -> None:
    net = model(hidden=hidden, stacks=stacks, depth=depth)
    text, first = texts(1, longest)[0], data.draw(st.integers(1, longest - 1))
    loss, expected = gradients(net, text, first)
    told, found = moved(net, text, first, rate=1.0, bptt=0, every=0)
    assert told == pytest.approx(loss, rel=1e-5)
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=2e-5)


def test_errors_go_back_as_many_steps_as_they_may() -> None:
    net, text = model(), texts(1, 20)[0]
    symbols, S = torch.from_numpy(text), net.empty_stacks(1, 24)
    for t, x in enumerate(symbols[:-1]):
        logits, S = net.step(x[None], S.detach() if t == 19 - 5 else S)  # what came before the last five is given
    loss = F.cross_entropy(logits, symbols[-1:])
    expected = torch.autograd.grad(loss, (net.U, net.P, net.A, net.D, net.V))
    _, found = moved(net, text, 19, rate=1.0, bptt=5, every=1)
    _, whole = gradients(net, text, 19)
    for one, other, uncut in zip(found[:4], expected[:4], whole[:4], strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=2e-6)
        assert not torch.allclose(one, uncut, rtol=1e-4, atol=2e-6)


def test_an_update_after_each_symbol_sums_up_to_one_a_sequence_where_the_rate_is_small() -> None:
    net, text = model(), texts(1, 25)[0]
    _, once = moved(net, text, 10, rate=1e-3, bptt=0, every=0)
    _, each = moved(net, text, 10, rate=1e-3, bptt=0, every=1)
    for one, other in zip(once, each, strict=True):
        torch.testing.assert_close(one, other, rtol=0.05, atol=0.03)
        assert not torch.equal(one, other)


def test_errors_are_cut_on_their_way_back() -> None:
    net, text = model(scale=3.0), texts(1, 30)[0]
    _, free = moved(net, text, 5, rate=1.0, bptt=0, every=0, clip=1e6)
    _, cut = moved(net, text, 5, rate=1.0, bptt=0, every=0, clip=1e-3)
    assert max(change.abs().max().item() for change in cut[:4]) < 0.06  # 29 steps of at most 0.001, and a product
    assert max(change.abs().max().item() for change in free[:4]) > 0.5


def test_without_a_rate_nothing_moves_and_what_was_right_is_counted() -> None:
    net, rows = model(), texts(4, 12)
    weights = [weight.clone() for weight in net.weights]
    lengths, firsts = np.array([12, 3, 7, 12]), np.array([1, 2, 3, 11])
    losses, rights = stack.train(weights, rows, lengths, firsts, rate=0.0)
    assert all(torch.equal(a, b) for a, b in zip(weights, net.weights, strict=True))
    logits = net.read(torch.from_numpy(rows))
    for q, (length, first) in enumerate(zip(lengths, firsts, strict=True)):
        row = torch.from_numpy(rows[q, first:length])
        assert losses[q] == pytest.approx(
            F.cross_entropy(logits[q, first - 1 : length - 1], row, reduction="sum").item(), rel=1e-4
        )
        assert rights[q] == (logits[q, first - 1 : length - 1].argmax(dim=1) == row).sum()


@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.parametrize("longest", [1, 9, 40])
def test_both_engines_write_the_same_answers(hard: bool, longest: int) -> None:
    net = model(scale=1.5, hard_actions=hard)
    rows, rng = texts(6, longest), np.random.default_rng(1)
    lengths = rng.integers(1, longest + 1, size=6)
    expected = net.answer(torch.from_numpy(rows), torch.from_numpy(lengths), 25, choices=4).numpy()
    assert np.array_equal(stack.answer(net.weights, rows, lengths, 25, 4, hard=hard), expected)
    assert expected.any()


def test_an_answer_does_not_depend_on_what_was_answered_before() -> None:
    net, rows = model(scale=1.5), texts(2, 30)
    lengths = np.array([30, 4])
    together = stack.answer(net.weights, rows, lengths, 20, 4)
    alone = stack.answer(net.weights, rows[1:, :4], lengths[1:], 20, 4)
    assert np.array_equal(together[1:], alone)


def test_weights_of_another_shape_are_refused() -> None:
    U, P, A, D, V = model().weights
    with pytest.raises(ValueError, match=r"^D is torch\.float64 of shape \(3, 12\); it must be float32 \(3, 12\)$"):
        stack.answer((U, P, A, D.double(), V), texts(1, 3), np.array([3]), 4, 4)
    with pytest.raises(ValueError, match=r"^V is .* of shape \(4, 12\); it must be float32 \(5, 12\)$"):
        stack.answer((U, P, A, D, V[:4]), texts(1, 3), np.array([3]), 4, 4)
