import pytest
import torch

from neuralgpu.models.config import NeuralGPUConfig
from neuralgpu.models.neural_gpu import NeuralGPU
from neuralgpu.training.relaxation import relaxation_cost, set_distance


def relaxed_model() -> NeuralGPU:
    model = NeuralGPU(NeuralGPUConfig(layers=1, width=1, maps=2), symbols=3, sets=4)
    torch.manual_seed(0)
    for parameter in (model.U, model.B):
        parameter.data.normal_()
    return model


def test_cost_is_the_squared_distance_from_the_mean_of_the_sets() -> None:
    model = relaxed_model()
    expected = sum(
        (((one - parameter.mean(dim=0)) ** 2).sum() for parameter in (model.U, model.B) for one in parameter),
        start=torch.tensor(0.0),
    )
    torch.testing.assert_close(relaxation_cost(model), expected)


def test_equal_sets_cost_nothing() -> None:
    model = relaxed_model()
    model.average_sets()
    assert relaxation_cost(model).item() == pytest.approx(0, abs=1e-10)


def test_following_the_cost_draws_the_sets_together_and_leaves_their_mean() -> None:
    model = relaxed_model()
    before, mean = relaxation_cost(model).item(), model.U.mean(dim=0).detach().clone()
    relaxation_cost(model).backward()  # type: ignore[no-untyped-call]
    assert model.U.grad is not None
    assert model.E.grad is None
    assert model.O.grad is None
    model.U.data -= 0.1 * model.U.grad
    assert relaxation_cost(model).item() < before
    torch.testing.assert_close(model.U.mean(dim=0).detach(), mean)


def test_the_distance_of_the_sets_is_a_share_of_the_size_of_the_kernels() -> None:
    model = relaxed_model()
    model.U.data[:] = 3.0
    model.U.data[::2] = 5.0  # half of the sets
    assert set_distance(model) == pytest.approx(1 / 17**0.5)  # 1 from the mean; 17 is the mean of 9 and 25
    model.average_sets()
    assert set_distance(model) == 0
