import pytest
import torch

from neuralgpu.models.config import NeuralGPUConfig
from neuralgpu.models.neural_gpu import NeuralGPU
from neuralgpu.training.relaxation import relaxation_cost, set_distance, shared_moments


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


def test_the_first_step_of_one_set_is_no_larger_than_those_of_the_sets_that_it_replaces() -> None:
    torch.manual_seed(0)
    sets = torch.nn.Parameter(torch.zeros(6, 50))
    relaxed = torch.optim.Adam([sets])
    for _ in range(20):
        sets.grad = torch.randn(6, 50) + 0.5
        relaxed.step()
    one, given = torch.nn.Parameter(torch.zeros(1, 50)), sets.detach().clone()
    shared = torch.optim.Adam([one])
    shared.state[one] = shared_moments(relaxed.state[sets])
    sets.grad = torch.randn(6, 50) + 0.5
    one.grad = sets.grad.sum(dim=0, keepdim=True)
    relaxed.step()
    shared.step()
    steps = (sets.detach() - given).mean(dim=0)
    assert one.detach().norm() <= 1.02 * (sets.detach() - given).norm(dim=1).max()
    assert torch.cosine_similarity(one.detach()[0], steps, dim=0) > 0.9
