import numpy as np
import pytest
import torch

from neuralgpu.errors import UserError
from neuralgpu.models.config import NeuralGPUConfig
from neuralgpu.models.neural_gpu import NeuralGPU
from neuralgpu.network import Ensemble, Network
from neuralgpu.tasks import Tape, get_task


def network(seed: int, task: str = "copy", tape: Tape | None = None) -> Network:
    known = get_task(task).on(tape or Tape())
    return Network(known, NeuralGPU(NeuralGPUConfig(layers=1, width=1, maps=8), known.symbols, seed=seed))


def test_an_ensemble_averages_the_probabilities_of_its_networks() -> None:
    networks = [network(seed) for seed in range(3)]
    tapes = get_task("copy").sample(np.random.default_rng(0), 20, 9).inputs
    with torch.inference_mode():
        mean = sum(one.model(torch.from_numpy(tapes)).softmax(dim=-1).numpy() for one in networks) / 3
    answers = Ensemble(networks).answers(tapes)
    assert np.array_equal(answers, mean.argmax(axis=-1))
    assert any(not np.array_equal(answers, one.answers(tapes)) for one in networks)


def test_an_ensemble_of_one_network_is_that_network() -> None:
    tapes = get_task("copy").sample(np.random.default_rng(0), 20, 9).inputs
    assert np.array_equal(Ensemble([network(4)]).answers(tapes), network(4).answers(tapes))


@pytest.mark.parametrize("other", [network(1, task="sort"), network(1, tape=Tape(extra=2))])
def test_networks_of_different_tasks_or_tapes_make_no_ensemble(other: Network) -> None:
    with pytest.raises(UserError, match="an ensemble needs networks of one task and tape"):
        Ensemble([network(0), other])
