import sys
from pathlib import Path

import pytest

from command import ngpu


@pytest.fixture(autouse=True)
def _there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ([], "training.png"),
        (["--accuracy"], "accuracy.png"),
        (["--by", "recipe"], "recipe.png"),
        (["--against", "dropout"], "dropout.png"),
        (["-o", "x.svg"], "x.svg"),
    ],
)
def test_a_figure_is_written_and_its_path_printed(
    arguments: list[str], name: str, tiny_run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ngpu(capsys, "plot", str(tiny_run), *arguments) == (0, f"{name}\n", "")
    assert Path(name).stat().st_size > 1000


def test_the_output_of_evaluate_is_drawn_as_accuracy(tiny_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, scores, _ = ngpu(capsys, "evaluate", str(tiny_run), "--sizes", "2", "4", "--count", "5", "--json")
    Path("scores.json").write_text(scores)
    assert ngpu(capsys, "plot", "scores.json", str(tiny_run)) == (0, "accuracy.png\n", "")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "nothing to plot; name run directories"),
        (["/nowhere"], "/nowhere/config.json does not exist; name a run directory"),
        (["/nowhere.json"], "/nowhere.json does not exist; name a run directory with an evaluation"),
        (["RUN", "-o", "x.pdf"], "x.pdf ends in .pdf; one of these endings would be right: .png .svg"),
        (["RUN", "-o", "no/x.png"], "no is not a directory"),
        (["RUN", "--by", "dropuot"], "did you mean dropout?"),
        (["RUN", "--against", "dropuot"], "did you mean dropout?"),
        (["RUN", "--by", "dropout", "--accuracy"], "--accuracy does not go with --by"),
        (["bmul"], "has scores and no training curve, as shipped networks do; draw it with --accuracy"),
        (["RUN/config.json"], "config.json holds no scores: "),
    ],
)
def test_a_wrong_command_says_in_one_line_what_would_be_right(
    arguments: list[str], complaint: str, tiny_run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = ngpu(capsys, "plot", *(word.replace("RUN", str(tiny_run)) for word in arguments))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert complaint in err
    assert list(tmp_path.iterdir()) == []


def test_without_matplotlib_the_command_that_installs_it_is_named(
    tiny_run: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "neuralgpu.view.figures", raising=False)
    code, _, err = ngpu(capsys, "plot", str(tiny_run))
    assert code == 2
    assert "pip install 'neuralgpu[view]'" in err
