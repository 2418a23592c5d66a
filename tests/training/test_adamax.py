import pytest
import torch
from torch import nn

from neuralgpu.training.adamax import ClippedAdaMax, beta2


def parameter_after(*gradients: float, lr: float = 0.1) -> list[float]:
    """Where a parameter that starts at 0 is after each gradient."""
    parameter = nn.Parameter(torch.zeros(1))
    optimizer = ClippedAdaMax([parameter], lr)
    places = []
    for gradient in gradients:
        parameter.grad = torch.tensor([gradient])
        optimizer.step()
        places.append(parameter.item())
    return places


def test_the_first_step_is_a_tenth_of_the_rate_whatever_the_gradient() -> None:
    assert parameter_after(3.0) == pytest.approx([-0.01])
    assert parameter_after(-0.001) == pytest.approx([0.01], rel=1e-3)


def test_a_steady_gradient_moves_by_the_rate_in_the_end() -> None:
    places = parameter_after(*[1.0] * 100)
    assert places[-1] - places[-2] == pytest.approx(-0.1, rel=0.01)


def test_a_sudden_large_gradient_counts_as_little_more_than_the_largest_so_far() -> None:
    after_large = parameter_after(1.0, 1000.0)[1]
    after_limit = parameter_after(1.0, 1.2 + 1e-4)[1]
    assert after_large == pytest.approx(after_limit)


def test_the_running_maximum_decays_more_slowly_as_training_goes_on() -> None:
    assert beta2(0) == pytest.approx(0.99)
    assert beta2(2000) == pytest.approx(0.995)
    assert beta2(10**6) == pytest.approx(0.9995)
