import torch

from neuralgpu.models.config import DiagonalConfig
from neuralgpu.models.diagonal import Diagonal
from neuralgpu.training.average import Average


def network(bias: float) -> Diagonal:
    model = Diagonal(DiagonalConfig(maps=24), symbols=3)
    torch.nn.init.constant_(model.o, bias)
    return model


def test_the_first_weights_are_the_first_average_and_later_ones_move_it() -> None:
    average = Average(decay=0.75)
    averages = []
    for bias in (4.0, 0.0, 0.0):
        average.follow(network(bias))
        averages.append(average.weights["o"][0].item())
    assert averages == [4, 3, 2.25]
