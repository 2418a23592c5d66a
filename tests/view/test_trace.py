from pathlib import Path

import numpy as np
import pytest
import torch

import neuralgpu
from neuralgpu.errors import UserError
from neuralgpu.models.config import DiagonalConfig, NeuralGPUConfig
from neuralgpu.models.diagonal import Diagonal, htanh, shift
from neuralgpu.models.diagonal import convolve as convolve_row
from neuralgpu.models.neural_gpu import NeuralGPU, convolve
from neuralgpu.models.steps import Steps
from neuralgpu.network import Ensemble, Network
from neuralgpu.tasks import ForeignTask, get_task
from neuralgpu.view.trace import trace

BADD = get_task("badd")
CGRU = Network(BADD, NeuralGPU(NeuralGPUConfig(layers=2, width=3, maps=8), BADD.symbols, sets=2))
DIAGONAL = Network(BADD, Diagonal(DiagonalConfig(maps=6), BADD.symbols))
BOTH = pytest.mark.parametrize("network", [CGRU, DIAGONAL], ids=["cgru", "diagonal"])


def test_a_trace_has_an_image_for_every_step_and_one_before_the_first() -> None:
    assert trace(CGRU, "101+110").states.shape == (8, 7, 3, 8)


def test_the_image_of_a_diagonal_network_is_one_cell_wide() -> None:
    assert trace(DIAGONAL, "101+110").states.shape == (8, 7, 1, 6)


@BOTH
def test_its_states_are_those_of_the_model(network: Network) -> None:
    expected = torch.cat(list(network.tape_model().trace(torch.from_numpy(BADD.encode("101+110")), 7)))
    seen = trace(network, "101+110").states
    assert np.array_equal(seen.reshape(expected.shape), expected.detach().numpy())


@BOTH
def test_the_last_answer_is_the_network_s(network: Network) -> None:
    seen = trace(network, "101+110")
    assert BADD.read(seen.answers[-1]) == network("101+110")


@pytest.mark.parametrize(("steps", "count"), [(Steps(per_cell=0.5), 4), (Steps(extra=5), 12)])
@BOTH
def test_a_trace_has_as_many_steps_as_the_network_makes(network: Network, steps: Steps, count: int) -> None:
    other = Network(BADD, network.model, steps)
    seen = trace(other, "101+110", gates=True)
    assert (seen.steps, len(seen.answers), seen.states.shape[1]) == (count, count + 1, 7)
    assert seen.update is not None
    assert len(seen.update) == count
    assert BADD.read(seen.answers[-1]) == other("101+110")


def test_an_ensemble_has_no_states_of_its_own() -> None:
    with pytest.raises(UserError, match=r"^an ensemble has no states of its own to show; name one of its networks$"):
        trace(Ensemble([CGRU, CGRU]), "101+110")


def test_where_the_true_answer_is_not_known_nothing_is_wrong() -> None:
    task = ForeignTask("parrot", "01")
    seen = trace(Network(task, Diagonal(DiagonalConfig(maps=6), task.symbols)), "0110")
    assert seen.target is None
    assert not seen.wrong.any()


def test_what_differs_from_the_true_answer_is_wrong() -> None:
    seen = trace(CGRU, "101+110")
    assert seen.target is not None
    assert BADD.decode(seen.target) == "0001"
    assert np.array_equal(seen.wrong[-1], seen.answers[-1] != seen.target)


def test_the_gates_of_a_cgru_lead_from_each_image_to_the_next() -> None:
    seen = trace(CGRU, "101+110", gates=True)
    assert seen.update is not None
    assert seen.reset is not None
    assert seen.update.shape == seen.reset.shape == (7, 2, 7, 3, 8)
    assert isinstance(CGRU.model, NeuralGPU)
    for t in range(seen.steps):
        s = torch.from_numpy(seen.states[t : t + 1])
        for layer in range(2):
            u, r = (torch.from_numpy(gate[t, layer]) for gate in (seen.update, seen.reset))
            U, B = CGRU.model.U[t % 2, layer, 0], CGRU.model.B[t % 2, layer, 0]
            s = u * s + (1 - u) * torch.tanh(convolve(U, r * s, B))
        np.testing.assert_allclose(s[0].detach().numpy(), seen.states[t + 1], rtol=1e-5, atol=1e-6)


def test_the_gates_of_a_diagonal_cell_lead_from_each_state_to_the_next() -> None:
    seen = trace(DIAGONAL, "101+110", gates=True)
    assert seen.update is not None
    assert seen.reset is not None
    assert seen.update.shape == seen.reset.shape == (7, 1, 7, 1, 6)
    assert isinstance(DIAGONAL.model, Diagonal)
    for t in range(seen.steps):
        s = torch.from_numpy(seen.states[t, None, :, 0])  # (1, n, m)
        g, r = (torch.from_numpy(gate[t, :, :, 0]) for gate in (seen.update, seen.reset))
        c = htanh(convolve_row(DIAGONAL.model.U[0], r * s, DIAGONAL.model.B[0]))
        after = g * shift(s) + (1 - g) * c
        np.testing.assert_allclose(after[0].detach().numpy(), seen.states[t + 1, :, 0], rtol=1e-5, atol=1e-6)


def test_gates_are_kept_on_request_alone() -> None:
    seen = trace(CGRU, "1+1")
    assert seen.update is None
    assert seen.reset is None


def test_progress_is_told_of_every_step() -> None:
    done: list[int] = []
    trace(DIAGONAL, "101+110", progress=done.append)
    assert done == list(range(8))


def test_the_public_name_takes_a_run_directory_too(tiny_run: Path) -> None:
    seen = neuralgpu.trace(tiny_run, "101+110")
    assert np.array_equal(seen.states, trace(neuralgpu.load(tiny_run), "101+110").states)


def test_a_text_that_is_no_input_is_refused() -> None:
    with pytest.raises(UserError, match="operand lengths differ: 3 and 2 bits"):
        trace(CGRU, "101+11")
