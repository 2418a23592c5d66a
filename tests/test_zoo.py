import json
from pathlib import Path

import pytest

from command import ngpu
from neuralgpu import evaluate, load, zoo
from neuralgpu.errors import UserError


def test_the_networks_that_are_promised_are_there() -> None:
    assert set(zoo.names()) >= {"badd", "bmul", "copy", "reverse", "duplicate", "sort", "copy-paper"}


@pytest.mark.parametrize("name", zoo.names())
def test_a_shipped_network_does_what_it_learned(name: str) -> None:
    network = load(name)
    assert network(network.task.example()) == network.task.answer(network.task.example())
    score = evaluate(network, network.task.largest_size(41), count=20, seed=2)
    assert score.exact >= 19  # a network of which 1 % of the outputs are wrong would fail once in fifty


@pytest.mark.parametrize("name", zoo.names())
def test_a_shipped_network_comes_with_its_command_and_scores(name: str) -> None:
    report = json.loads((zoo.HERE / name / "evaluation.json").read_text())
    readme = (zoo.HERE / name / "README.md").read_text()
    assert report["command"] in readme
    for score in report["scores"]:
        assert (
            f"| {score['size']} | {score['length']} | {score['inputs']} | {score['exact']}/{score['count']} |" in readme
        )


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
