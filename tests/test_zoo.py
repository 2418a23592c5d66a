import json
from pathlib import Path

import pytest

from command import ngpu
from neuralgpu import evaluate, load, zoo
from neuralgpu.errors import UserError
from neuralgpu.evaluation.report import Report
from neuralgpu.evaluation.sizes import training_size
from neuralgpu.runs.config import load_config
from neuralgpu.tasks import get_task
from neuralgpu.training.config import read_config, train_command


def test_the_networks_that_are_promised_are_there() -> None:
    assert set(zoo.names()) >= {"badd", "bmul", "copy", "reverse", "duplicate", "sort", "copy-paper"}


@pytest.mark.parametrize("name", zoo.names())
def test_a_shipped_network_does_what_it_learned(name: str) -> None:
    network = load(name)
    assert network(network.task.example()) == network.task.answer(network.task.example())
    (score,) = evaluate(network, training_size(network.task), count=20, seed=2, stress=False).scores
    assert score.exact >= 19  # a network of which 1 % of the outputs are wrong would fail once in fifty


def report_of(name: str) -> Report:
    return Report.from_dict(json.loads((zoo.HERE / name / "evaluation.json").read_text()))


def command_of(name: str) -> str:
    training = report_of(name).training
    assert training is not None
    return str(training["command"])


@pytest.mark.parametrize("name", zoo.names())
def test_a_shipped_network_comes_with_its_command_and_scores(name: str) -> None:
    readme = (zoo.HERE / name / "README.md").read_text()
    assert f"\n{command_of(name)}\n" in readme
    assert report_of(name).markdown() in readme


@pytest.mark.parametrize("name", zoo.names())
def test_the_report_of_a_shipped_network_is_written_as_this_version_writes_it(name: str) -> None:
    written = (zoo.HERE / name / "evaluation.json").read_text()
    assert written == json.dumps(report_of(name).to_dict(), indent=2) + "\n"


OTHER_RECIPES = {"bmul", "copy-paper", "duplicate-paper", "reverse-paper", "sort-paper"}
"""Networks to be trained again: an earlier form of their recipes made them, as their pages say."""
GONE = pytest.mark.xfail(reason="the recipe that made it has changed", raises=UserError)


@pytest.mark.parametrize("name", [pytest.param(n, marks=GONE if n in OTHER_RECIPES else ()) for n in zoo.names()])
def test_the_recipe_of_a_shipped_network_is_still_the_one_that_made_it(name: str) -> None:
    config = read_config(load_config(zoo.HERE / name / "config.json"))
    assert train_command(config, get_task(config.network.task)) == command_of(name)


def test_models_lists_them_with_how_far_each_was_exact(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = ngpu(capsys, "models", "--json")
    assert [model["name"] for model in json.loads(out)] == zoo.names()
    code, out, _ = ngpu(capsys, "models")
    assert code == 0
    assert all(name in out for name in zoo.names())


def test_a_name_that_is_shipped_means_the_shipped_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "copy").mkdir()
    monkeypatch.chdir(tmp_path)
    assert zoo.find("copy") == zoo.HERE / "copy"
    assert zoo.find("./copy") == Path("copy")


def test_a_name_that_is_neither_shipped_nor_a_directory_gets_a_hint() -> None:
    with pytest.raises(UserError, match=r"revers is neither a shipped network nor a directory.*did you mean reverse\?"):
        zoo.find("revers")
