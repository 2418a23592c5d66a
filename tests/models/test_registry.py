"""Models by their kind, and a model of one's own that is one file and one line."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
import torch
from torch import Tensor

from command import error_of, ngpu
from emitter import Emitter, EmitterConfig
from neuralgpu import evaluate, load, trace
from neuralgpu.errors import UserError
from neuralgpu.models import registry
from neuralgpu.models.config import DiagonalConfig, NeuralGPUConfig
from neuralgpu.models.diagonal import Diagonal
from neuralgpu.models.model import TapeModel
from neuralgpu.models.neural_gpu import NeuralGPU
from neuralgpu.models.steps import Steps
from neuralgpu.network import Ensemble, Network
from neuralgpu.runs.config import NetworkConfig, RunConfig, load_config
from neuralgpu.runs.files import save_tensors
from neuralgpu.tasks import Tape, get_task

NO_TAPE = "a model of kind emitter has no tape to show; only tape automata have"


@pytest.mark.parametrize(
    ("kind", "config", "model"),
    [("neural-gpu", NeuralGPUConfig, NeuralGPU), ("diagonal", DiagonalConfig, Diagonal)],
)
def test_a_model_and_its_configuration_are_found_by_their_kind(kind: str, config: type, model: type) -> None:
    assert registry.config_class(kind) is config
    assert registry.model_class(config()) is model


@pytest.mark.parametrize("kind", registry.KINDS)
def test_a_configuration_has_the_kind_that_it_is_found_by(kind: str) -> None:
    assert registry.config_class(kind).kind == kind


@pytest.mark.parametrize(
    ("kind", "automaton"), [("neural-gpu", True), ("diagonal", True), ("lstm-attention", False), ("stack-rnn", False)]
)
def test_the_neural_gpus_are_tape_automata_and_the_baselines_none(kind: str, automaton: bool) -> None:
    assert issubclass(registry.model_class(registry.config_class(kind)()), TapeModel) == automaton


def test_an_unknown_kind_is_named_with_the_nearest() -> None:
    with pytest.raises(UserError, match=r"^unknown kind of model 'neural-gp'; did you mean neural-gpu\?$"):
        registry.config_class("neural-gp")


def test_reading_a_configuration_does_not_load_torch() -> None:
    program = "import sys; from neuralgpu.models.registry import config_class; config_class('diagonal'); "
    program += "print('torch' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True).stdout
    assert said == "False\n"


@pytest.fixture
def copier(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with a network of a kind that this house does not know but for one line."""
    monkeypatch.setitem(registry.KINDS, "emitter", registry.Kind("emitter:EmitterConfig", "emitter:Emitter"))
    config = NetworkConfig("copy", "01", Tape(), Steps(), EmitterConfig(hidden=3))
    (tmp_path / "config.json").write_text(RunConfig(config, {}).to_json())
    save_weights(tmp_path, Emitter(EmitterConfig(hidden=3), symbols=3).state_dict())
    return tmp_path


def save_weights(directory: Path, weights: Mapping[str, Tensor]) -> None:
    save_tensors(directory / "model.safetensors", weights, {}, load_config(directory / "config.json").network_digest)


def test_a_model_that_emits_one_symbol_after_the_other_is_loaded_and_answers(copier: Path) -> None:
    network = load(copier)
    assert isinstance(network.model, Emitter)
    assert network("0110") == "0110"
    assert repr(network) == "Network('copy', emitter, 18 parameters, engine torch)"


def test_it_is_evaluated_like_any_other(copier: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert [score.exact_share for score in evaluate(load(copier), sizes=[5, 9], count=10).scores] == [1, 1, 1, 1]
    code, out, _ = ngpu(capsys, "evaluate", str(copier), "--sizes", "5", "--count", "10", "--json")
    assert code == 0
    assert json.loads(out)["scores"][0]["exact"] == 10


def test_it_is_run_like_any_other(copier: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ngpu(capsys, "run", str(copier), "0110")[:2] == (0, "0110   (correct)\n")


def test_it_is_averaged_in_an_ensemble_like_any_other(copier: Path) -> None:
    assert Ensemble([load(copier), load(copier)])("0110") == "0110"


def test_it_cannot_be_traced(copier: Path) -> None:
    with pytest.raises(UserError) as refused:
        trace(copier, "0110")
    assert str(refused.value) == NO_TAPE


def test_it_cannot_be_animated(
    copier: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert error_of(capsys, "animate", str(copier), "0110") == f"{NO_TAPE}\n"
    assert not (tmp_path / "copy.gif").exists()


def test_the_native_engine_does_not_know_it(copier: Path) -> None:
    with pytest.raises(UserError, match=r"^the native engine cannot run this model: .*; choose another or use engine"):
        load(copier, engine="native")


def test_its_configuration_is_checked_like_any_other(copier: Path) -> None:
    file = copier / "config.json"
    file.write_text(file.read_text().replace('"hidden": 3', '"hidden": 0'))
    with pytest.raises(UserError, match=r"config\.json: hidden is 0; it must be from 1 to 1024$"):
        load(copier)


def test_weights_of_another_size_are_refused(copier: Path) -> None:
    save_weights(copier, {"W": torch.zeros(2), "V": torch.zeros(2)})
    with pytest.raises(UserError, match=r"model\.safetensors does not fit config\.json: "):
        load(copier)


def test_an_untrained_network_of_it_is_made_without_a_file() -> None:
    task = get_task("copy")
    assert Network(task, Emitter(EmitterConfig(), task.symbols))("0110") == "0110"
