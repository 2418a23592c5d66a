import pytest
import torch
from torch import nn

from neuralgpu.training.adamax import ClippedAdaMax
from neuralgpu.training.muon import MOMENTUM, PULL, Muon, orthogonal


def moved(*gradients: torch.Tensor, share: float = 0.5) -> torch.Tensor:
    """What a kernel bank of zeros is after these gradients."""
    kernels = nn.Parameter(torch.zeros_like(gradients[0]))
    optimizer = Muon([kernels], lr=0.1, share=share)
    for gradient in gradients:
        kernels.grad = gradient
        optimizer.step()
    return kernels.detach()


def gradient(seed: int = 0) -> torch.Tensor:
    return torch.randn(3, 3, 8, 8, generator=torch.Generator().manual_seed(seed))


def test_orthogonal_matrices_keep_their_directions_and_lose_their_sizes() -> None:
    u, _ = torch.linalg.qr(torch.randn(24, 8, generator=torch.Generator().manual_seed(0)))
    v, _ = torch.linalg.qr(torch.randn(8, 8, generator=torch.Generator().manual_seed(1)))
    sizes = torch.logspace(-1.5, 0, 8)
    result = u.mT @ orthogonal(u * sizes @ v) @ v.mT
    assert result.diag().min() > 0.6
    assert result.diag().max() < 1.3
    assert (result - result.diag().diag()).abs().max() < 1e-4


def test_a_step_is_as_long_whatever_the_gradient() -> None:
    assert moved(gradient()).pow(2).mean().sqrt().item() == pytest.approx(0.1 * 0.5, rel=0.2)
    assert torch.allclose(moved(gradient()), moved(1000 * gradient()), atol=1e-4)


def test_a_sudden_large_gradient_counts_as_little_more_than_those_before_it() -> None:
    after_limit = moved(gradient(0), 1.2 * gradient(0).norm() / gradient(1).norm() * gradient(1))
    assert torch.allclose(moved(gradient(0), 1000 * gradient(1)), after_limit, atol=1e-4)


def test_a_step_follows_the_momentum_of_the_gradients_before_it() -> None:
    first, second = gradient(0), gradient(1) * (gradient(0).norm() / gradient(1).norm())
    kernels = moved(first)
    banks = (second + MOMENTUM * (MOMENTUM * first + second)).flatten(1, 2)
    step = orthogonal(banks).reshape_as(first)
    expected = kernels * (1 - 0.05 * PULL) - 0.05 * step / step.square().mean().sqrt()
    assert torch.allclose(moved(first, second), expected, atol=1e-5)


def test_weights_shrink_while_they_move() -> None:
    kernels = nn.Parameter(torch.ones(3, 3, 8, 8))
    kernels.grad = torch.zeros_like(kernels)
    Muon([kernels], lr=0.1, share=0.5).step()
    assert torch.allclose(kernels, torch.tensor(1 - 0.1 * 0.5 * PULL))


def test_parameters_that_are_no_kernels_follow_adamax() -> None:
    bias, other = nn.Parameter(torch.zeros(3, 8)), nn.Parameter(torch.zeros(3, 8))
    optimizers = Muon([bias], lr=0.1, share=0.5), ClippedAdaMax([other], lr=0.1)
    for seed in (0, 1):
        bias.grad = other.grad = gradient(seed)[:, 0, 0]
        for optimizer in optimizers:
            optimizer.step()
    assert torch.equal(bias, other)
