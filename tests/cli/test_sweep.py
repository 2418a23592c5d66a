"""`ngpu sweep`: its lists, its status, its report and its errors."""

import json
from pathlib import Path

import pytest

from command import error_of, ngpu
from tiny_sweep import FLAGS

TINY = ["copy", *FLAGS, "--evaluate-sizes", "5", "--evaluate-count", "10", "--engine", "serial"]
Capture = pytest.CaptureFixture[str]


def test_dry_run_lists_points_and_hours_and_trains_nothing(capsys: Capture, tmp_path: Path) -> None:
    code, out, _ = ngpu(capsys, "sweep", *TINY, "--axis", "dropout=0,0.1", "--dry-run", "--out", str(tmp_path / "s"))
    assert code == 0
    assert "0.1" in out
    assert "at most" in out
    assert not (tmp_path / "s").exists()


def test_paper_grid_has_729_points(capsys: Capture) -> None:
    words = ["sweep", "badd", "--grid", "paper", "--set", "maps=8", "--dry-run", "--json", "--parallel", "100"]
    code, out, _ = ngpu(capsys, *words)
    found = json.loads(out)
    assert code == 0
    assert len(found["points"]) == 729
    assert found["points"][417]["digits"] == "120110"
    assert found["hours"] > 0


def test_sweep_status_report_and_take(capsys: Capture, tmp_path: Path) -> None:
    out = str(tmp_path / "s")
    code, printed, _ = ngpu(capsys, "sweep", *TINY, "--axis", "dropout=0,0.1", "--out", out, "--json")
    assert code == 0
    assert json.loads(printed)["done"] == 2
    code, printed, _ = ngpu(capsys, "sweep", "status", out)
    assert code == 0
    assert printed.startswith("copy (paper): 2 done of 2 points; best so far: point ")
    code, printed, _ = ngpu(capsys, "sweep", "report", out)
    assert code == 0
    assert f"{out}/report/report.md" in printed
    assert "again: ngpu train copy --recipe paper --seed " in printed
    code, printed, _ = ngpu(capsys, "sweep", "take", out, "--best", "2", "--ensemble", "--count", "5", "--json")
    assert code == 0
    assert len(json.loads(printed)["directories"]) == 2


def test_train_at_a_point_of_the_paper_has_its_settings_and_seed(capsys: Capture, tmp_path: Path) -> None:
    words = [
        "--layers",
        "1",
        "--width",
        "1",
        "--maps",
        "8",
        "--batch",
        "2",
        "--max-steps",
        "2",
        "--evaluate-count",
        "0",
    ]
    out = tmp_path / "run"
    code, _, _ = ngpu(capsys, "train", "copy", "--grid", "paper", "--point", "417", "--out", str(out), *words)
    training = json.loads((out / "config.json").read_text())["training"]
    assert code == 0
    assert training["seed"] == 417
    assert training["settings"]["dropout"] == 0.06
    assert training["settings"]["initial_scale"] == 1.5


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["copy"], "a sweep needs a grid, axes, or several seeds"),
        (["copi", "--grid", "paper"], "unknown task 'copi'; did you mean copy?"),
        (["copy", "--grid", "papr"], "unknown grid 'papr'; did you mean paper?"),
        (["copy", "--axis", "lerning_rate=1"], "unknown setting 'lerning_rate'; did you mean learning_rate?"),
        (["copy", "--axis", "dropout=1.5"], "dropout is 1.5; it must be at least 0 and below 1"),
        (["copy", "--axis", "dropout=0.1", "--axis", "dropout=0.2"], "axis dropout is given twice"),
        (["copy", "--axis", "dropout=0.1", "--set", "maps=8,9"], "--set maps=8,9 has 2 values"),
        (["copy", "--grid", "paper", "--axis", "maps=8"], "the grid paper has axes of its own"),
        (["copy", "--grid", "paper", "--set", "dropout=0.1"], "dropout is an axis of the grid"),
        (["copy", "--grid", "paper", "--threads", "0"], "threads is 0; it must be at least 1"),
        (["copy", "--grid", "paper", "--retries", "-1"], "retries is -1; it must be at least 0"),
        (["status", "nowhere"], "nowhere holds no sweep; name a directory made by `ngpu sweep`"),
    ],
)
def test_wrong_words_get_one_sentence(capsys: Capture, words: list[str], error: str) -> None:
    assert error_of(capsys, "sweep", *words).startswith(error)


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["--grid", "paper"], "--grid and --point go together"),
        (["--point", "3"], "--grid and --point go together"),
        (["--grid", "paper", "--point", "729"], "point 729 is not on the grid; its points are 0 to 728"),
    ],
)
def test_wrong_point_gets_one_sentence(capsys: Capture, words: list[str], error: str) -> None:
    assert error_of(capsys, "train", "copy", *words).startswith(error)
