"""The kernel's entry points with shapes and numbers of any kind: what torch computes, or a ValueError, and no crash."""

from random import Random

import torch

from neuralgpu.engine import native
from neuralgpu.models import diagonal, neural_gpu

HOSTILE: dict[str, list[float]] = {
    "steps": [-1, 2**31, 2**63, -(2**63)],
    "threads": [-1, 0, 2**32, 2**63, 40_000],
    "levels": [-1, float("nan"), float("inf"), 2**40],
    "noise": [-1.0, float("nan"), float("inf")],
    "dropout": [-0.1, 1.0, 2.0, float("nan"), float("inf")],
}
TOLERANCE = 1e-3
KERNELS = (4, 7)
"""Axes of kernel banks, whose gradients are compared."""


def attempt(rng: Random) -> str:
    """Call a rollout: "as torch" or "refused"."""
    return rng.choice([_cgru, _diagonal])(rng)


def _cgru(rng: Random) -> str:
    m, w, layers, sets = rng.choice([8, 16, 24]), rng.randint(1, 4), rng.randint(1, 2), rng.randint(1, 3)
    k_w, k_h = rng.choice([1, 3]), rng.choice([1, 3, 5])
    s0 = _numbers(rng, rng.randint(1, 3), rng.randint(1, 12), w, m)
    U, B = _numbers(rng, sets, layers, 3, k_w, k_h, m, m) * 0.1, _numbers(rng, sets, layers, 3, m)
    options: dict[str, float] = {"steps": rng.randint(0, 9), "threads": rng.randint(1, 3)}
    if rng.random() < 0.4:
        name = rng.choice(["steps", "threads", "dropout"])
        return _refused(native.cgru_rollout, (s0, U, B), options | {name: rng.choice(HOSTILE[name])})
    if rng.random() < 0.2:
        return _refused(native.cgru_rollout, _misshapen(rng, s0, U, B), options)
    cutoff = rng.random() < 0.5
    return _compared(
        native.cgru_rollout(s0, U, B, cutoff=cutoff, **options),  # type: ignore[arg-type]
        neural_gpu.rollout(s0, U, B, cutoff=cutoff, **options),  # type: ignore[arg-type]
        U,
    )


def _diagonal(rng: Random) -> str:
    m, k = rng.choice([24, 48]), rng.choice([3, 5])
    s0 = _numbers(rng, rng.randint(1, 3), rng.randint(1, 12), m)
    U, B = _numbers(rng, 3, k, m, m) * 0.05, _numbers(rng, 3, m)
    options: dict[str, float] = {"steps": rng.randint(0, 9), "threads": rng.randint(1, 3)}
    if rng.random() < 0.4:
        name = rng.choice(list(HOSTILE))
        return _refused(native.diagonal_rollout, (s0, U, B), options | {name: rng.choice(HOSTILE[name])})
    if rng.random() < 0.2:
        return _refused(native.diagonal_rollout, _misshapen(rng, s0, U, B), options)
    options |= {"sparse": rng.random() < 0.5}
    given, expected = native.diagonal_rollout(s0, U, B, **options), diagonal.rollout(s0, U, B, **options)  # type: ignore[arg-type]
    return _compared(given[0], expected[0], U)


def _numbers(rng: Random, *shape: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(rng.randrange(2**32))
    return torch.empty(shape).uniform_(-1, 1, generator=generator).requires_grad_(len(shape) in KERNELS)


def _misshapen(rng: Random, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """The same tensors, one of them with an axis that is too long, empty or gone, or of another type."""
    changed = [tensor.detach() for tensor in tensors]
    place = rng.randrange(1, len(changed))
    tensor = changed[place]
    axis = rng.randrange(tensor.dim())
    changed[place] = rng.choice(
        [tensor.narrow(axis, 0, 0), tensor.select(axis, 0), tensor.double(), torch.cat([tensor] * 2, dim=-1)]
    )
    return tuple(changed)


def _refused(rollout: object, tensors: tuple[torch.Tensor, ...], options: dict[str, float]) -> str:
    try:
        rollout(*tensors, **options)  # type: ignore[operator]
    except (ValueError, MemoryError):
        return "refused"
    raise AssertionError(f"{options} with shapes {[tuple(tensor.shape) for tensor in tensors]} was taken")


def _compared(given: torch.Tensor, expected: torch.Tensor, weights: torch.Tensor) -> str:
    """Whether values and gradients agree."""
    assert torch.allclose(given, expected, atol=TOLERANCE), f"differ by {(given - expected).abs().max().item()}"
    if expected.requires_grad and given.requires_grad:
        states = (given, expected)
        one, other = (torch.autograd.grad(s.square().sum(), weights, materialize_grads=True)[0] for s in states)
        assert torch.allclose(one, other, rtol=0.05, atol=0.05), "gradients differ"
    return "as torch"
