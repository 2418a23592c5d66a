"""Parameter sharing relaxation: the cost that pulls the r sets of recurrent parameters together."""

from torch import Tensor

from neuralgpu.models.neural_gpu import NeuralGPU


def relaxation_cost(model: NeuralGPU) -> Tensor:
    """The squared distance of every recurrent parameter from its mean over the sets, summed."""
    costs = [(p - p.mean(dim=0, keepdim=True)).square().sum() for p in (model.U, model.B)]
    return costs[0] + costs[1]


def relaxation_pull(initial: float, factor: float, cells: int) -> float:
    """The weight of that cost after the curriculum has lengthened the tape by this many cells."""
    return float(initial * factor**cells)
