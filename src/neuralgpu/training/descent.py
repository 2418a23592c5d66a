"""One step down a cost: gradients, clipped, with noise that vanishes for a network without errors."""

from typing import Protocol

import torch
from torch import Tensor

from neuralgpu.training.noise import add_gradient_noise, noise_deviation


class DescentSettings(Protocol):
    """What a recipe says about gradients."""

    @property
    def clip_norm(self) -> float:
        """The norm that gradients are scaled down to; 0 leaves them as they are."""

    @property
    def noise_scale(self) -> float:
        """The scale of the gradient noise; 0 switches it off."""


def descend(
    optimizer: torch.optim.Optimizer,
    cost: Tensor,
    settings: DescentSettings,
    step: int,
    exact: float,
    generator: torch.Generator,
) -> None:
    """Let the optimiser make a step of a training, whose minibatch had this share of exact outputs."""
    parameters = [weight for group in optimizer.param_groups for weight in group["params"]]
    optimizer.zero_grad()
    cost.backward()  # type: ignore[no-untyped-call]
    if settings.clip_norm:
        torch.nn.utils.clip_grad_norm_(parameters, settings.clip_norm)
    add_gradient_noise(parameters, noise_deviation(settings.noise_scale, step, wrong=1 - exact), generator)
    optimizer.step()
