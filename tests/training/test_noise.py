import pytest
import torch
from torch import nn

from neuralgpu.training.noise import add_gradient_noise, noise_deviation


def test_deviation_falls_with_the_fourth_root_of_the_step() -> None:
    assert noise_deviation(0.1, step=16, wrong=1.0) == pytest.approx(0.05)


def test_a_network_without_errors_gets_no_noise() -> None:
    assert noise_deviation(0.1, step=16, wrong=0.0) == 0


def test_noise_has_the_deviation_asked_for() -> None:
    parameter = nn.Parameter(torch.zeros(100_000))
    parameter.grad = torch.full_like(parameter, 3.0)
    add_gradient_noise([parameter], 0.5, torch.Generator().manual_seed(0))
    assert parameter.grad.std().item() == pytest.approx(0.5, rel=0.02)
    assert parameter.grad.mean().item() == pytest.approx(3, abs=0.01)


def test_without_deviation_nothing_is_drawn() -> None:
    parameter = nn.Parameter(torch.zeros(3))
    parameter.grad = torch.ones(3)
    generator = torch.Generator().manual_seed(0)
    before = generator.get_state()
    add_gradient_noise([parameter], 0.0, generator)
    assert parameter.grad.tolist() == [1, 1, 1]
    assert torch.equal(before, generator.get_state())
