"""Both engines compute the steps of both models, however many these are, and are called alike."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest
import torch

from neuralgpu import engine
from neuralgpu.engine.compute import Compute
from neuralgpu.models import diagonal, neural_gpu
from neuralgpu.models.config import DiagonalConfig, NeuralGPUConfig
from neuralgpu.models.diagonal import Diagonal
from neuralgpu.models.model import TapeModel
from neuralgpu.models.neural_gpu import NeuralGPU

NATIVE = pytest.mark.skipif(not engine.available(), reason=engine.why())
TAPES = torch.randint(4, (3, 11), generator=torch.Generator().manual_seed(0))


def cgru(compute: Compute) -> TapeModel:
    return NeuralGPU(NeuralGPUConfig(layers=2, width=3, maps=8), symbols=4, seed=1, compute=compute, sets=3)


def diagonal_cell(compute: Compute) -> TapeModel:
    return Diagonal(DiagonalConfig(maps=24), symbols=4, seed=1, compute=compute)


def rounded_cell(compute: Compute) -> TapeModel:
    return Diagonal(DiagonalConfig(maps=24, levels=2), symbols=4, seed=1, compute=compute)


MODELS = pytest.mark.parametrize("make", [cgru, diagonal_cell, rounded_cell])


@pytest.mark.parametrize("rollouts", [neural_gpu.ROLLOUTS, diagonal.ROLLOUTS], ids=["neural-gpu", "diagonal"])
def test_the_rollouts_of_both_engines_have_one_signature(rollouts: dict[str, Callable[..., Any]]) -> None:
    by_torch, native = (set(inspect.signature(rollouts[name]).parameters) for name in ("torch", "native"))
    assert by_torch == native


@NATIVE
@MODELS
@pytest.mark.parametrize("steps", [0, 1, 5, 11, 30])
def test_both_engines_make_as_many_steps_as_they_are_told(make: Callable[[Compute], TapeModel], steps: int) -> None:
    by_torch, native = (make(Compute(name)).run(TAPES, steps) for name in ("torch", "native"))
    torch.testing.assert_close(native[0], by_torch[0], rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(native[1], by_torch[1], rtol=1e-4, atol=1e-4)


@NATIVE
@pytest.mark.parametrize("make", [cgru, diagonal_cell])
@pytest.mark.parametrize("steps", [3, 20])
def test_both_engines_have_the_same_gradients_however_many_steps_there_are(
    make: Callable[[Compute], TapeModel], steps: int
) -> None:
    gradients = []
    for name in ("torch", "native"):
        model = make(Compute(name))
        logits, cost = model.run(TAPES, steps)
        (logits.square().mean() + cost).backward()  # type: ignore[no-untyped-call]
        gradients.append([weight.grad for weight in model.parameters()])
    for by_torch, native in zip(*gradients, strict=True):
        torch.testing.assert_close(native, by_torch, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("name", ["torch", pytest.param("native", marks=NATIVE)])
@pytest.mark.parametrize("steps", [1, 5, 11, 30])
def test_the_saturation_cost_is_the_mean_over_cells_and_steps(name: engine.Engine, steps: int) -> None:
    model = diagonal_cell(Compute(name))
    with torch.no_grad():
        model.U.zero_()
        model.get_parameter("B").fill_(1.0)  # the three pre-activations of each of 24 maps are 1, 1.7 and 1.5
    cost = model.run(TAPES, steps)[1]
    cost.backward()  # type: ignore[no-untyped-call]
    assert cost.item() == pytest.approx(24 * (0.1 + 0.8 + 0.6), rel=1e-5)
    torch.testing.assert_close(model.get_parameter("B").grad, torch.ones(3, 24), rtol=1e-5, atol=1e-5)


@MODELS
def test_a_model_in_training_draws_its_disturbance_from_the_generator(make: Callable[[Compute], TapeModel]) -> None:
    def disturbed(seed: int) -> torch.Tensor:
        generator = torch.Generator().manual_seed(seed)
        return make(Compute()).run(TAPES, 5, dropout=0.2, generator=generator)[0]

    assert torch.equal(disturbed(1), disturbed(1))
    assert not torch.equal(disturbed(1), disturbed(2))
