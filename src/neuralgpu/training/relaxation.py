"""Parameter sharing relaxation: the cost that pulls the r sets of recurrent parameters together."""

import torch
from torch import Tensor

from neuralgpu.models.neural_gpu import NeuralGPU


def relaxation_cost(model: NeuralGPU) -> Tensor:
    """The squared distance of every recurrent parameter from its mean over the sets, summed."""
    costs = [(p - p.mean(dim=0, keepdim=True)).square().sum() for p in (model.U, model.B)]
    return costs[0] + costs[1]


@torch.no_grad()
def set_distance(model: NeuralGPU) -> float:
    """The root mean square distance of the kernels U from their mean over the sets, as a share of that of U from 0."""
    distance = (model.U - model.U.mean(dim=0, keepdim=True)).square().mean()
    return float((distance / model.U.square().mean()).sqrt())


def shared_moments(moments: dict[str, Tensor]) -> dict[str, Tensor]:
    """Adam's moments for one set in the place of r sets, made of theirs.

    The gradient of the one set is the sum of theirs, and so is its mean. Its mean square is at most r times the sum of
    their mean squares; taken to be that, it makes no step larger than the steps of the sets were.
    """
    mean, mean_square = moments["exp_avg"], moments["exp_avg_sq"]
    sums = {"exp_avg": mean.sum(dim=0, keepdim=True), "exp_avg_sq": len(mean) * mean_square.sum(dim=0, keepdim=True)}
    return moments | sums
