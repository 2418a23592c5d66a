"""What the native engine says to tensors that it cannot take: an error in Python, never a crash."""

import math
import subprocess
import sys
from typing import Any

import pytest
import torch

from neuralgpu import engine
from neuralgpu.engine.native import cgru_rollout, diagonal_rollout

pytestmark = pytest.mark.skipif(not engine.available(), reason=engine.why())

S0 = torch.zeros(2, 5, 3, 8)
U = torch.zeros(1, 2, 3, 3, 3, 8, 8)
B = torch.zeros(1, 2, 3, 8)
PAPER_U, PAPER_B = torch.zeros(1, 2, 3, 3, 3, 24, 24), torch.zeros(1, 2, 3, 24)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"s0": S0[0]}, r"s0 has shape \(5, 3, 8\); it must be \(batch, n, w, m\)"),
        ({"s0": S0[:0]}, r"axis batch must not be empty"),
        ({"s0": S0.double()}, r"s0 is torch.float64; the native engine computes in torch.float32"),
        ({"s0": S0.transpose(0, 1)}, r"s0 is not contiguous .* pass s0.contiguous\(\)"),
        ({"s0": S0.to("meta")}, r"s0 is on meta; the native engine runs on the cpu"),
        ({"U": U[..., :4]}, r"U has shape .* its axis m must be 8, not 4"),
        ({"U": U[:, :, :2]}, r"U has shape .* its axis 3 must be 3, not 2"),
        ({"U": U[:, :, :, :2].contiguous()}, r"kernels are 2 x 3; both sides must be odd"),
        ({"B": B[:, :1]}, r"B has shape \(1, 1, 3, 8\); its axis l must be 2, not 1"),
        ({"steps": -1}, r"steps is -1; it must be from 0 to 2147483647"),
        ({"steps": 2**63}, r"steps is 9223372036854775808; it must be from 0"),
        ({"threads": 0}, r"threads is 0; it must be from 1 to 1024"),
        ({"threads": 2**32 + 1}, r"threads is 4294967297; it must be from 1 to 1024"),
        ({"dropout": 1.0}, r"dropout rate is 1.0; it must be at least 0 and below 1"),
        ({"dropout": math.nan}, r"dropout rate is nan; it must be at least 0 and below 1"),
    ],
)
def test_cgru_names_the_value_and_the_remedy(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        cgru_rollout(**{"s0": S0, "U": U, "B": B, "steps": 5, **change})


def test_cgru_maps_must_fill_vectors() -> None:
    with pytest.raises(ValueError, match="multiple of 8, not 12; use engine torch"):
        cgru_rollout(torch.zeros(1, 2, 1, 12), torch.zeros(1, 1, 3, 3, 3, 12, 12), torch.zeros(1, 1, 3, 12), 1)


@pytest.mark.parametrize(
    ("maps", "taps", "message"),
    [(32, 3, "multiple of 24, not 32"), (24, 1, "1 taps; it must be odd and at least 3"), (24, 4, "4 taps")],
)
def test_diagonal_names_the_value_and_the_remedy(maps: int, taps: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        diagonal_rollout(torch.zeros(1, 4, maps), torch.zeros(3, taps, maps, maps), torch.zeros(3, maps), 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"levels": math.nan}, "levels is nan; it must be from 0 to 1048576"),
        ({"levels": -1}, "levels is -1; it must be from 0"),
        ({"noise": math.inf}, "noise is inf; it must be from 0 to 1000000"),
        ({"noise": math.nan}, "noise is nan"),
        ({"dropout": -0.1}, "dropout rate is -0.1"),
        ({"steps": 2**31}, "steps is 2147483648; it must be from 0 to 2147483647"),
        ({"threads": 1025}, "threads is 1025; it must be from 1 to 1024"),
        ({"s0": torch.empty(2**24 + 1, 1, 24)}, "batch is 16777217; it must be from 1 to 16777216"),
    ],
)
def test_diagonal_refuses_numbers_that_would_overflow(change: dict[str, Any], message: str) -> None:
    weights = {"U": torch.zeros(3, 3, 24, 24), "B": torch.zeros(3, 24)}
    with pytest.raises(ValueError, match=message):
        diagonal_rollout(**{"s0": torch.zeros(1, 4, 24), **weights, "steps": 1, **change})


def test_gradients_of_more_steps_than_memory_holds_are_an_error() -> None:
    with pytest.raises(MemoryError, match="no memory holds what the gradients of 2147483647 steps need"):
        cgru_rollout(torch.zeros(100, 41, 4, 24), PAPER_U.requires_grad_(), PAPER_B, 2**31 - 1)


def test_threads_that_the_system_does_not_give_are_an_error() -> None:
    program = """
import resource, torch
from neuralgpu.engine.native import cgru_rollout
zeros = torch.zeros(600, 41, 3, 8), torch.zeros(1, 2, 3, 3, 3, 8, 8), torch.zeros(1, 2, 3, 8)
now = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (now + 2**30, now + 2**30))  # 600 stacks take more
try:
    cgru_rollout(*zeros, 1, threads=600)
except ValueError as error:
    print(error)
print(cgru_rollout(*zeros, 1, threads=2).sum().item())
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "threads is 600; the system does not give that many, use fewer\n0.0\n"


def test_weights_changed_between_forward_and_backward_are_an_error() -> None:
    weights = U.clone().requires_grad_()
    out = cgru_rollout(S0, weights, B, 5)
    with torch.no_grad():
        weights += 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        torch.autograd.grad(out.sum(), weights)
