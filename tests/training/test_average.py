import pytest
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


def interrupt(average: Average, model: Diagonal) -> None:
    with average.shown(model):
        assert model.o.tolist() == [2, 2, 2]
        raise KeyboardInterrupt


def test_a_model_shows_the_average_and_gets_its_own_weights_back() -> None:
    average, model = Average(decay=0.5), network(2.0)
    average.follow(model)
    torch.nn.init.constant_(model.o, 8.0)
    with pytest.raises(KeyboardInterrupt):
        interrupt(average, model)
    assert model.o.tolist() == [8, 8, 8]
    assert average.weights["o"].tolist() == [2, 2, 2]
