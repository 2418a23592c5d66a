"""`ngpu runs` and `ngpu recipes`."""

import csv
import json
import shutil
from pathlib import Path

import pytest

from command import error_of, ngpu, torch_is_not_loaded_by
from neuralgpu.runs.config import RunConfig
from neuralgpu.tasks import get_task
from neuralgpu.training.config import configure
from neuralgpu.training.recipes import DURATIONS, RECIPES, get_recipe
from neuralgpu.training.summary import changes_from_recipe


@pytest.fixture
def folder(tiny_run: Path, tmp_path: Path) -> Path:
    """Two runs: one that is finished, and one that was cut before its evaluation."""
    shutil.copytree(tiny_run, tmp_path / "runs" / "done")
    cut = Path(shutil.copytree(tiny_run, tmp_path / "runs" / "cut"))
    (cut / "evaluation.json").unlink()
    return tmp_path / "runs"


def test_a_run_says_what_differs_from_its_recipe_and_how_it_ended(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = ngpu(capsys, "runs", str(folder), "--json")
    cut, done = json.loads(out)
    assert (done["task"], done["recipe"], done["seed"], done["steps"], done["finished"]) == (
        "badd",
        "paper",
        0,
        20,
        True,
    )
    assert done["changes"] == {"layers": 1, "width": 1, "maps": 8, "batch": 4, "examples_per_size": 50, "max_steps": 20}
    assert [(score["size"], score["inputs"], score["count"]) for score in done["scores"]] == [
        (4, "random", 100),
        (4, "stress", 29),
    ]
    assert (cut["finished"], cut["steps"], cut["scores"]) == (False, 20, [])


@pytest.mark.parametrize("task", ["badd", "copy"])
@pytest.mark.parametrize("recipe", RECIPES)
def test_a_recipe_as_it_stands_has_no_changes(recipe: str, task: str) -> None:
    config = configure(get_task(task), recipe, get_recipe(recipe), seed=0)
    read_again = RunConfig(config.network, json.loads(config.to_run().to_json())["training"])
    assert changes_from_recipe(read_again) == {}


def test_the_table_names_every_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ngpu(capsys, "runs", str(folder))
    assert code == 0
    assert "not finished" in out
    assert "maps=8" in out
    assert "4: " in out


def test_csv_has_a_row_for_each_score(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = ngpu(capsys, "runs", str(folder), "--csv")
    rows = list(csv.DictReader(out.splitlines()))
    assert [(Path(row["path"]).name, row["size"], row["inputs"]) for row in rows] == [
        ("cut", "", ""),
        ("done", "4", "random"),
        ("done", "4", "stress"),
    ]


def test_a_damaged_run_does_not_hide_the_others(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "cut" / "config.json").write_text("{")
    code, out, _ = ngpu(capsys, "runs", str(folder), "--json")
    assert code == 0
    cut, done = json.loads(out)
    assert "is not valid JSON" in cut["problem"]
    assert done["problem"] is None


def test_a_folder_without_runs_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "holds no run; name a run directory made by `ngpu train`" in error_of(capsys, "runs", str(tmp_path))


def test_evaluate_has_its_scores_as_csv(tiny_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = ngpu(capsys, "evaluate", str(tiny_run), "--sizes", "3", "--count", "5", "--csv")
    rows = list(csv.DictReader(out.splitlines()))
    assert [(row["task"], row["size"], row["inputs"], row["count"]) for row in rows] == [
        ("badd", "3", "random", "5"),
        ("badd", "3", "stress", "29"),
    ]


def test_every_recipe_says_what_it_is_and_how_long_it_takes(capsys: pytest.CaptureFixture[str]) -> None:
    assert DURATIONS.keys() == RECIPES.keys()
    rows = json.loads(ngpu(capsys, "recipes", "--json")[1])
    assert [row["recipe"] for row in rows] == list(RECIPES)
    assert rows[0]["settings"]["relaxation_sets"] == 6
    assert all(name in torch_is_not_loaded_by("recipes") for name in RECIPES)
