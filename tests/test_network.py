import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors import safe_open

import neuralgpu
from neuralgpu import zoo
from neuralgpu.engine import EngineChoice
from neuralgpu.errors import UserError
from neuralgpu.models.config import DiagonalConfig, NeuralGPUConfig
from neuralgpu.models.diagonal import Diagonal
from neuralgpu.models.neural_gpu import NeuralGPU
from neuralgpu.models.steps import Steps
from neuralgpu.network import Ensemble, Network, load
from neuralgpu.tasks import Tape, Tapes, get_task


def network(seed: int, task: str = "copy", tape: Tape | None = None, steps: Steps | None = None) -> Network:
    known = get_task(task).on(tape or Tape())
    return Network(known, NeuralGPU(NeuralGPUConfig(layers=1, width=1, maps=8), known.symbols, seed=seed), steps)


def tapes_of(count: int, size: int) -> Tapes:
    return get_task("copy").sample(np.random.default_rng(0), count, size).inputs


def test_a_network_makes_as_many_steps_as_its_configuration_says() -> None:
    tapes = tapes_of(50, 9)
    patient = network(0, steps=Steps(per_cell=1.5, extra=2))  # 14 + 2 steps on 9 cells
    expected = patient.model(torch.from_numpy(tapes), 16).argmax(dim=-1).numpy()
    assert np.array_equal(patient.answers(tapes), expected)
    assert not np.array_equal(network(0).answers(tapes), expected)


def test_without_a_word_about_steps_a_network_makes_one_for_each_cell() -> None:
    assert network(0).steps(41) == 41


def test_tapes_that_do_not_fit_together_are_answered_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    tapes, whole = tapes_of(7, 9), network(0)
    expected = whole.answers(tapes)
    monkeypatch.setattr("neuralgpu.network.STATE_BYTES", 3 * 9 * 8 * 4)  # three tapes of 9 cells with 8 numbers
    assert whole.chunk(9) == 3
    assert np.array_equal(whole.answers(tapes), expected)


def test_no_tapes_have_no_answers() -> None:
    assert network(0).answers(tapes_of(7, 9)[:0]).shape == (0, 9)


def test_a_network_says_what_it_is() -> None:
    assert repr(network(0)) == "Network('copy', neural-gpu, 1,800 parameters, engine torch)"
    assert repr(Ensemble([network(0)])) == f"Ensemble({network(0)!r})"


def test_the_public_names_are_listed_without_loading_them() -> None:
    program = "import sys, neuralgpu; print({'load', 'train', 'resume', '__version__'} <= set(dir(neuralgpu)), "
    program += "neuralgpu.__version__, 'torch' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True).stdout
    assert re.fullmatch(r"True \d+\.\d+\.\d+ False\n", said)


def test_a_name_that_is_not_public_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match=r"^module 'neuralgpu' has no attribute 'join'$"):
        _ = neuralgpu.join


@pytest.mark.parametrize("engine", ["auto", "torch"])
def test_a_shipped_network_answers_by_either_engine(engine: EngineChoice) -> None:
    assert load("bmul", engine)("0110*0101") == "001111"


def test_an_ensemble_averages_the_probabilities_of_its_networks() -> None:
    networks = [network(seed) for seed in range(3)]
    tapes = tapes_of(20, 9)
    with torch.inference_mode():
        mean = sum(one.model(torch.from_numpy(tapes), 9).softmax(dim=-1).numpy() for one in networks) / 3
    answers = Ensemble(networks).answers(tapes)
    assert np.array_equal(answers, mean.argmax(axis=-1))
    assert any(not np.array_equal(answers, one.answers(tapes)) for one in networks)


def test_an_ensemble_of_one_network_is_that_network() -> None:
    tapes = tapes_of(20, 9)
    assert np.array_equal(Ensemble([network(4)]).answers(tapes), network(4).answers(tapes))


def test_each_network_of_an_ensemble_makes_its_own_steps() -> None:
    tapes = tapes_of(20, 9)
    patient = network(0, steps=Steps(extra=3))
    with torch.inference_mode():
        both = Ensemble([network(0), patient]).scores(torch.from_numpy(tapes))
        own = [one.scores(torch.from_numpy(tapes)).softmax(dim=-1) for one in (network(0), patient)]
    assert torch.equal(both, torch.stack(own).mean(dim=0))


def diagonal(steps: Steps) -> Network:
    """A network that has not learned anything and does not change some tapes in its last steps."""
    task = get_task("copy")
    return Network(task, Diagonal(DiagonalConfig(maps=6), task.symbols), steps)


PATIENT = Steps(per_cell=1.5, extra=4)  # 9, 13 and 18 steps on 9 cells


def test_an_answer_settles_where_it_is_the_same_after_n_steps_in_the_middle_and_at_the_end() -> None:
    tapes, network = tapes_of(20, 9), diagonal(PATIENT)
    answers, settled = network.answers_settled(tapes)
    with torch.inference_mode():
        read = [network.model(torch.from_numpy(tapes), t).argmax(dim=-1).numpy() for t in (9, 13, 18)]
    assert np.array_equal(answers, read[2])
    assert settled is not None
    assert settled.tolist() == [(a == c).all() and (b == c).all() for a, b, c in zip(*read, strict=True)]
    assert 0 < settled.sum() < 20
    texts = [network.task.decode(tape) for tape in tapes]
    assert [network.answer(text).settled for text in texts] == settled.tolist()
    assert [network.answer(text).text for text in texts] == [network(text) for text in texts]


def test_an_ensemble_settles_where_its_networks_together_do() -> None:
    tapes = tapes_of(20, 9)
    answers, settled = diagonal(PATIENT).answers_settled(tapes)
    together = Ensemble([diagonal(PATIENT)] * 2).answers_settled(tapes)
    assert np.array_equal(together[0], answers)
    assert settled is not None
    assert together[1] is not None
    assert np.array_equal(together[1], settled)
    assert Ensemble([diagonal(Steps()), diagonal(PATIENT)]).answers_settled(tapes)[1] is None


@pytest.mark.parametrize("steps", [Steps(), Steps(per_cell=0.5)])
def test_a_network_with_no_more_steps_than_cells_cannot_tell_whether_it_settled(steps: Steps) -> None:
    assert diagonal(steps).answer("0110").settled is None


@pytest.mark.parametrize("other", [network(1, task="sort"), network(1, tape=Tape(extra=2))])
def test_networks_of_different_tasks_or_tapes_make_no_ensemble(other: Network) -> None:
    with pytest.raises(UserError, match="an ensemble needs networks of one task and tape"):
        Ensemble([network(0), other])


def shipped(name: str, path: Path) -> Path:
    """A copy of a shipped network."""
    shutil.copytree(zoo.HERE / name, path)
    return path


def test_shipped_weights_with_a_zeroed_half_are_refused(tmp_path: Path) -> None:
    file = shipped("bmul", tmp_path / "bmul") / "model.safetensors"
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2] + bytes(len(whole) - len(whole) // 2))
    with pytest.raises(UserError, match=r"model\.safetensors is damaged \(its content does not match its digest\)"):
        load(file.parent)


def test_weights_of_another_task_are_refused(tmp_path: Path) -> None:
    path = shipped("copy", tmp_path / "copy")
    config = (path / "config.json").read_text()
    (path / "config.json").write_text(config.replace('"task": "copy"', '"task": "reverse"'))
    with pytest.raises(UserError, match=r"model\.safetensors does not belong to the config\.json there"):
        load(path)


@pytest.mark.parametrize("name", zoo.names())
def test_every_shipped_network_has_a_digest(name: str) -> None:
    with safe_open(zoo.HERE / name / "model.safetensors", framework="pt") as file:
        assert set(file.metadata()) == {"neuralgpu"}
