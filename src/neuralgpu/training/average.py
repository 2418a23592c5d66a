"""The running average of a model's weights, which is more exact than the weights of any one step."""

import torch
from torch import Tensor

from neuralgpu.models.registry import Model


class Average:
    """An exponential moving average; it begins with the first weights that it follows."""

    def __init__(self, decay: float) -> None:
        self.decay = decay
        self.weights: dict[str, Tensor] = {}

    @torch.no_grad()
    def follow(self, model: Model) -> None:
        """Move a little towards the model's weights."""
        for name, weight in model.state_dict().items():
            self.weights.setdefault(name, weight.clone()).lerp_(weight, 1 - self.decay)
