"""Muon (Jordan et al. 2024): a kernel bank moves as far in every direction, however small its gradient is there.

torch.optim.Muon takes matrices; a kernel bank is three of them, one for each gate, and is clipped here as well.
"""

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn

from neuralgpu.training.adamax import EXCESS, ClippedAdaMax

MOMENTUM = 0.95
PULL = 1.6
"""Weights shrink by this times what they move by: without it they grow until the loss does."""
QUINTIC = (3.4445, -4.7750, 2.0315)
"""Coefficients of the Newton-Schulz iteration that takes singular values to about 1, the small ones quickly."""


BANK_AXES = {4: 1, 7: 3}
"""Leading axes of kernel banks by the number of all: (gates, k, m, m) and (sets, layers, gates, k_w, k_h, m, m)."""


class Muon(ClippedAdaMax):
    """Kernel banks of both models by Muon, everything else by AdaMax.

    The gradient of a kernel bank is cut where its norm exceeds 1.2 times the running mean of it, and added to the
    momentum. For each gate, the matrix (k m, m) of it is replaced by the orthogonal one nearest to it; all are scaled
    so that their entries have a root mean square of 1. The step is the rate times `share` of this.
    """

    def __init__(self, parameters: Iterable[nn.Parameter], lr: float, share: float) -> None:
        super().__init__(parameters, lr)
        self.share = share

    def move(self, parameter: Tensor, gradient: Tensor, group: dict[str, Any]) -> None:
        """Move one parameter."""
        if parameter.dim() not in BANK_AXES:
            super().move(parameter, gradient, group)
            return
        state, norm = self.state[parameter], gradient.norm()
        if not state:
            state["m"], state["norm"] = torch.zeros_like(parameter), norm
        limit = EXCESS * state["norm"]
        state["norm"] = state["norm"].lerp(norm.minimum(1.5 * limit), 0.05)
        g = gradient * (limit / (norm + 1e-12)).clamp(max=1.0)
        momentum = state["m"].mul_(MOMENTUM).add_(g)
        banks = (g + MOMENTUM * momentum).flatten(0, BANK_AXES[parameter.dim()] - 1).flatten(1, -2)  # (banks, k m, m)
        step = orthogonal(banks).reshape_as(parameter)
        rate = group["lr"] * self.share
        parameter.mul_(1 - rate * PULL).sub_(step * (rate / (step.square().mean().sqrt() + 1e-9)))


def orthogonal(matrices: Tensor) -> Tensor:
    """Of each matrix (..., rows, columns), rows >= columns, about the nearest one with orthogonal columns of norm 1."""
    a, b, c = QUINTIC
    x: Tensor = (matrices / (matrices.norm(dim=(-2, -1), keepdim=True) + 1e-7)).mT
    for _ in range(5):
        square = x @ x.mT
        x = a * x + (b * square + c * square @ square) @ x
    return x.mT
