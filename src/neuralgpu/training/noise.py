"""Gradient noise that fades with time and vanishes for a network without errors."""

from collections.abc import Iterable

import torch
from torch import nn


def noise_deviation(scale: float, step: int, wrong: float) -> float:
    """Standard deviation scale * step^(-1/4) * (share of outputs that are not fully correct)."""
    return float(scale * step**-0.25 * wrong)


def add_gradient_noise(parameters: Iterable[nn.Parameter], deviation: float, generator: torch.Generator) -> None:
    """Add normal noise to every gradient; without deviation nothing is drawn."""
    if deviation == 0:
        return
    for parameter in parameters:
        if parameter.grad is not None:
            noise = torch.randn(parameter.shape, generator=generator).to(parameter.device)
            parameter.grad += deviation * noise
