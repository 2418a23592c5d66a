"""The native CGRU computes what models/neural_gpu.py computes, with the same gradients."""

import math
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from neuralgpu import engine
from neuralgpu.engine import dropout, native
from neuralgpu.models import neural_gpu
from neuralgpu.models.neural_gpu import cgru, sigma

pytestmark = pytest.mark.skipif(not engine.available(), reason=engine.why())


def reference(s: Tensor, U: Tensor, B: Tensor, steps: int, cutoff: bool, rate: float, seed: int) -> Tensor:
    batch, n, w, m = s.shape
    for t in range(steps):
        if rate:
            s = s * torch.from_numpy(dropout.factors(seed, batch, t, n * w * m, rate)).view(s.shape)
        for layer in range(U.shape[1]):
            s = cgru(s, U[t % U.shape[0], layer], B[t % U.shape[0], layer], cutoff)
    return s


def inputs(
    batch: int, n: int, w: int, m: int, r: int = 1, l: int = 1, k_w: int = 3, k_h: int = 3, seed: int = 0
) -> tuple[Tensor, Tensor, Tensor]:
    """s0, U and B drawn as the model draws them."""
    g = torch.Generator().manual_seed(seed)
    a = 1.8 * (3 / (k_w * k_h * m)) ** 0.5
    s0 = torch.empty(batch, n, w, m).uniform_(-1.7, 1.7, generator=g)
    U = torch.empty(r, l, 3, k_w, k_h, m, m).uniform_(-a, a, generator=g)
    return s0, U, torch.empty(r, l, 3, m).uniform_(-1, 1, generator=g)


def gradients(rollout: Any, tensors: tuple[Tensor, ...], *arguments: Any, **options: Any) -> tuple[Tensor, ...]:
    """The result of a rollout and its gradients for s0, U, B, from a fixed random gradient of the result."""
    leaves = [tensor.clone().requires_grad_() for tensor in tensors]
    out = rollout(*leaves, *arguments, **options)
    weight = torch.randn(out.shape, generator=torch.Generator().manual_seed(1)).to(out.dtype)
    return out.detach(), *torch.autograd.grad((out * weight).sum(), leaves, materialize_grads=True)


def on_a_kink(tensors: tuple[Tensor, Tensor, Tensor], *arguments: Any) -> bool:
    """Whether a gate is so near to a corner of its cutoff that its slope is a matter of rounding."""
    corner = math.log(11)  # where 1.2 sigma(x) - 0.1 is 1
    distances = [torch.ones(1)]

    def watch(x: Tensor, cutoff: bool) -> Tensor:
        distances.append((x.abs() - corner).abs().flatten() if cutoff else torch.ones(1))
        return sigma(x, cutoff)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(neural_gpu, "sigma", watch)
        reference(*tensors, *arguments)
    return bool((torch.cat(distances) < 2e-5).any())


def assert_agree(tensors: tuple[Tensor, Tensor, Tensor], *arguments: Any, **options: Any) -> None:
    """The forward results within 1e-5, the gradients within 1e-4 of their largest value, or 1e-2 on a kink.

    Dropout scales states up in every step, and rounding errors with them: torch's own distance from a rollout in double
    precision is allowed on top, four times over.
    """
    slope = 1e-2 if on_a_kink(tensors, *arguments) else 1e-4
    actual = gradients(native.cgru_rollout, tensors, *arguments, **options)
    expected = gradients(reference, tensors, *arguments)
    exact = gradients(reference, tuple(tensor.double() for tensor in tensors), *arguments)
    for a, e, x in zip(actual, expected, exact, strict=True):
        tolerance = 1e-5 if a is actual[0] else slope * e.abs().max().item()
        rounding = (e - x).abs().max().item()
        torch.testing.assert_close(a, e, rtol=0, atol=tolerance + 4 * rounding + 1e-30)


# Derandomized: a gate within rounding of a corner of its cutoff has either slope, and luck should not decide a test.
@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    batch=st.integers(1, 5),
    n=st.integers(1, 60),
    w=st.integers(1, 5),
    m=st.sampled_from([8, 16, 24, 32, 40]),
    sets=st.integers(1, 3),
    layers=st.integers(1, 3),
    kernel=st.sampled_from([(3, 3), (3, 1), (1, 3), (5, 3)]),
    steps=st.integers(0, 60),
    cutoff=st.booleans(),
    rate=st.sampled_from([0.0, 0.1]),
    threads=st.integers(1, 3),
    seed=st.integers(0, 2**32),
)
def test_any_shape_agrees_with_torch(
    batch: int,
    n: int,
    w: int,
    m: int,
    sets: int,
    layers: int,
    kernel: tuple[int, int],
    steps: int,
    cutoff: bool,
    rate: float,
    threads: int,
    seed: int,
) -> None:
    tensors = inputs(batch, n, w, m, sets, layers, *kernel, seed=seed)
    assert_agree(tensors, steps, cutoff, rate, seed, threads=threads)


def test_a_rollout_that_grows_and_its_rounding_errors_with_it_agrees_with_torch() -> None:
    assert_agree(inputs(1, 47, 1, 16, k_w=1, seed=3), 29, True, 0.1, 3)


def test_the_papers_size_agrees_with_torch_over_all_its_steps() -> None:
    tensors = inputs(3, 41, 4, 24, r=6, l=2)
    arguments = (41, True, 0.09, 5)
    assert_agree(tensors, *arguments)


@pytest.mark.parametrize("cutoff", [True, False])
def test_gradients_are_the_finite_differences_of_a_float64_rollout(cutoff: bool) -> None:
    tensors = inputs(2, 3, 2, 8, r=2, l=2)
    actual = gradients(native.cgru_rollout, tensors, 3, cutoff)
    weight = torch.randn(actual[0].shape, generator=torch.Generator().manual_seed(1)).double()
    exact = [tensor.double() for tensor in tensors]
    for which, gradient in enumerate(actual[1:]):
        direction = torch.randn(gradient.shape, generator=torch.Generator().manual_seed(2)).double()

        def value(step: float, which: int = which, direction: Tensor = direction) -> float:
            moved = [x + step * direction if k == which else x for k, x in enumerate(exact)]
            return (reference(moved[0], moved[1], moved[2], 3, cutoff, 0.0, 0) * weight).sum().item()

        slope = (value(1e-6) - value(-1e-6)) / 2e-6
        assert (gradient.double() * direction).sum().item() == pytest.approx(slope, rel=1e-4)


@pytest.mark.usefixtures("built_library")
def test_every_built_library_that_runs_here_agrees_with_torch() -> None:
    for m in (24, 32):
        tensors = inputs(3, 9, 4, m, l=2)
        assert_agree(tensors, 9, True, 0.1, 3)


@pytest.mark.parametrize(("batch", "n"), [(7, 11), (8, 6), (6, 41), (1, 50)])
def test_gradients_have_the_same_bits_on_any_number_of_threads(batch: int, n: int) -> None:
    tensors = inputs(batch, n, 4, 24, r=2, l=2)
    alone = gradients(native.cgru_rollout, tensors, 5, True, 0.1, 9, threads=1)
    for threads in (1, 2, 3, 8):
        shared = gradients(native.cgru_rollout, tensors, 5, True, 0.1, 9, threads=threads)
        assert all(torch.equal(a, b) for a, b in zip(shared, alone, strict=True))


@pytest.mark.parametrize(("batch", "threads"), [(1, 1), (5, 2), (1, 2), (1, 3), (3, 8)])
def test_training_and_inference_give_the_same_bits_on_any_number_of_threads(batch: int, threads: int) -> None:
    s0, U, B = inputs(batch, 50, 4, 24, l=2)
    trained = native.cgru_rollout(s0, U.clone().requires_grad_(), B, 13, dropout=0.1, seed=2, threads=threads)
    assert torch.equal(native.cgru_rollout(s0, U, B, 13, dropout=0.1, seed=2, threads=threads), trained)
    assert torch.equal(native.cgru_rollout(s0, U, B, 13, dropout=0.1, seed=2, threads=1), trained)


def test_a_state_that_decays_reaches_exact_zero() -> None:
    # u = 0.5, c = tanh(0) = 0: each step halves the state, which would spend 23 steps among the denormals.
    s0, U, B = torch.ones(1, 4, 2, 8), torch.zeros(1, 1, 3, 3, 3, 8, 8), torch.zeros(1, 1, 3, 8)
    assert (native.cgru_rollout(s0, U, B, 126) == 2.0**-126).all()
    assert (native.cgru_rollout(s0, U, B, 127) == 0).all()
    tiny = torch.tensor(2.0**-126)
    assert tiny / 2 > 0  # the caller's own arithmetic keeps its denormals


def test_a_weight_that_is_not_a_number_shows_in_the_result() -> None:
    for which in range(3):
        s0, U, B = inputs(1, 3, 2, 8)
        B[0, 0, which, 0] = float("nan")
        assert native.cgru_rollout(s0, U, B, 2).isnan().any()


def test_two_graphs_live_at_once_and_go_backward_in_any_order() -> None:
    first, second = inputs(2, 6, 3, 8, seed=1), inputs(2, 9, 3, 8, seed=2)
    for tensors in (first, second):
        tensors[1].requires_grad_()
    outs = [native.cgru_rollout(*tensors, tensors[0].shape[1]) for tensors in (first, second)]
    together = torch.autograd.grad(outs[0].sum() + outs[1].sum(), (first[1], second[1]))
    for tensors, gradient in zip((first, second), together, strict=True):
        out = native.cgru_rollout(*tensors, tensors[0].shape[1])
        assert torch.equal(torch.autograd.grad(out.sum(), tensors[1])[0], gradient)
