"""AdaMax with gradients clipped against their own running maximum, as the Diagonal Neural GPU is trained."""

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn

BETA1 = 0.9
EXCESS = 1.2
"""A gradient may exceed the running maximum of its magnitude by this factor."""


class ClippedAdaMax(torch.optim.Optimizer):
    """A gradient g is cut to +-(1.2 v + 1e-4); m averages g, v is the decaying maximum of |g|; the step is lr m / v."""

    def __init__(self, parameters: Iterable[nn.Parameter], lr: float) -> None:
        super().__init__(parameters, {"lr": lr, "beta2": beta2(0)})

    @torch.no_grad()
    def step(self) -> None:  # type: ignore[override]  # it takes no closure
        """Move every parameter that has a gradient."""
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    self.move(parameter, parameter.grad, group)

    def move(self, parameter: Tensor, gradient: Tensor, group: dict[str, Any]) -> None:
        """Move one parameter."""
        state = self.state[parameter]
        if not state:
            state["m"], state["v"] = torch.zeros_like(parameter), gradient.abs()
        m, v = state["m"], state["v"]
        limit = EXCESS * v + 1e-4
        g = torch.clamp(gradient, -limit, limit)
        m.mul_(BETA1).add_(g, alpha=1 - BETA1)
        torch.maximum(group["beta2"] * v, g.abs(), out=v)
        parameter -= group["lr"] * m / (v + 1e-8)


def beta2(step: int) -> float:
    """How much of the running maximum stays: more of it as training goes on."""
    return float(1 - max(0.0005, 0.01 * 0.5 ** (step / 2000)))
