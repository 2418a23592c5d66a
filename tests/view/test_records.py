import json
import shutil
from pathlib import Path

import pytest

from neuralgpu.errors import UserError
from neuralgpu.view.records import read_accuracies, read_sweep, read_trainings


@pytest.fixture
def run(tiny_run: Path, tmp_path: Path) -> Path:
    """A copy of a run directory that a test may damage."""
    return Path(shutil.copytree(tiny_run, tmp_path / "run"))


def set_dropout(run: Path, dropout: float) -> None:
    config = json.loads((run / "config.json").read_text())
    config["settings"]["dropout"] = dropout
    (run / "config.json").write_text(json.dumps(config))


def test_metrics_are_columns(run: Path) -> None:
    (training,) = read_trainings([run])
    assert training.label == "run"
    assert training.columns["step"].tolist() == [10, 20]
    assert {"loss", "exact", "size"} <= training.columns.keys()


def test_a_line_that_is_being_written_is_left_out(run: Path) -> None:
    with (run / "metrics.jsonl").open("a") as file:
        file.write('{"step": 30, "lo')
    assert read_trainings([run])[0].columns["step"].tolist() == [10, 20]


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("", "has no metrics yet"),
        ("nonsense\n", "is damaged"),
        ('{"step": "x"}\n', "is damaged"),
        ("[]\n", "is damaged"),
        ("{}\n", "no 'step'"),
    ],
)
def test_metrics_that_cannot_be_read_are_named(content: str, complaint: str, run: Path) -> None:
    (run / "metrics.jsonl").write_text(content)
    with pytest.raises(UserError, match=complaint):
        read_trainings([run])


def test_scores_are_the_same_from_a_directory_and_from_its_file(run: Path) -> None:
    (directory,), (file,) = read_accuracies([run]), read_accuracies([run / "evaluation.json"])
    assert directory.task == "badd"
    assert directory.shares == file.shares
    assert [share.inputs for share in directory.shares] == ["random", "stress"]


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("{", "holds no scores: Invalid JSON"),
        ('{"task": "badd"}', "scores: Field required"),
        ('{"task": "badd", "scores": []}', "was not evaluated"),
    ],
)
def test_a_file_without_scores_is_named_with_the_remedy(content: str, complaint: str, run: Path) -> None:
    (run / "evaluation.json").write_text(content)
    with pytest.raises(UserError, match=complaint) as error:
        read_accuracies([run])
    assert "the output of `ngpu evaluate --json`" in str(error.value)


def test_a_sweep_pairs_a_setting_with_the_score_of_random_inputs(run: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(run, tmp_path / "other"))
    set_dropout(other, 0.25)
    sweep = read_sweep([run, other], "dropout")
    assert sweep.length == 9
    assert [(trial.label, trial.task, trial.value) for trial in sweep.trials] == [
        ("run", "badd", 0.09),
        ("other", "badd", 0.25),
    ]
    scores = json.loads((run / "evaluation.json").read_text())["scores"]
    assert sweep.trials[0].share == scores[0]["exact_share"]


def test_a_run_without_a_score_is_left_out_and_told(run: Path, tmp_path: Path) -> None:
    unscored = Path(shutil.copytree(run, tmp_path / "unscored"))
    (unscored / "evaluation.json").unlink()
    sweep = read_sweep([run, unscored], "maps")
    assert [trial.label for trial in sweep.trials] == ["run"]
    assert sweep.unscored == [unscored]
    with pytest.raises(UserError, match="none of 1 runs has an evaluation"):
        read_sweep([unscored], "maps")


def test_the_length_of_a_sweep_is_the_longest_that_all_runs_have(run: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(run, tmp_path / "other"))
    scores = json.loads((other / "evaluation.json").read_text())
    scores["scores"].append({**scores["scores"][0], "length": 401})
    (other / "evaluation.json").write_text(json.dumps(scores))
    assert read_sweep([other], "seed").length == 401
    assert read_sweep([run, other], "seed").length == 9


def test_an_unknown_setting_is_told_with_the_nearest(run: Path) -> None:
    with pytest.raises(UserError, match="has no setting 'dropuot'; did you mean dropout"):
        read_sweep([run], "dropuot")
