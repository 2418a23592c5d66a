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
    config["training"]["settings"]["dropout"] = dropout
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
    assert directory.report.task == "badd"
    assert directory.report == file.report
    assert [score.inputs for score in directory.report.scores] == ["random", "stress"]


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("{", "holds no scores, because it is not valid JSON"),
        ('{"task": "badd"}', "holds no scores: unit: Field required"),
        ('{"task": "badd", "scores": [{"size": 3}]}', r"holds no scores: scores\.0\.inputs: Field required"),
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
    assert sweep.sizes == ("4 bits",)
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


def change_scores(run: Path, **changes: object) -> None:
    """Add the run's random score once more, changed."""
    report = json.loads((run / "evaluation.json").read_text())
    report["scores"].append({**report["scores"][0], **changes})
    (run / "evaluation.json").write_text(json.dumps(report))


def test_the_size_of_a_sweep_is_the_largest_that_all_runs_have(run: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(run, tmp_path / "other"))
    change_scores(other, size=200)
    assert read_sweep([other], "seed").sizes == ("200 bits",)
    assert read_sweep([run, other], "seed").sizes == ("4 bits",)


def test_runs_of_one_task_on_different_tapes_have_their_sizes_in_common(run: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(run, tmp_path / "other"))
    change_scores(run, size=200, cells=401)
    change_scores(other, size=200, cells=633)
    assert read_sweep([run, other], "seed").sizes == ("200 bits",)


def test_each_task_of_a_sweep_has_a_size_of_its_own(run: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(run, tmp_path / "other"))
    report = json.loads((other / "evaluation.json").read_text())
    report |= {"task": "copy", "unit": "symbols"}
    report["scores"] = [{**score, "size": 41} for score in report["scores"]]
    (other / "evaluation.json").write_text(json.dumps(report))
    sweep = read_sweep([run, other], "seed")
    assert sweep.sizes == ("4 bits", "41 symbols")
    assert [trial.task for trial in sweep.trials] == ["badd", "copy"]


def test_runs_without_a_common_size_are_told(run: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(run, tmp_path / "other"))
    report = json.loads((other / "evaluation.json").read_text())
    report["scores"] = [{**score, "size": 5} for score in report["scores"]]
    (other / "evaluation.json").write_text(json.dumps(report))
    with pytest.raises(UserError, match="the runs of badd have no size in common"):
        read_sweep([run, other], "seed")


def test_the_scores_of_an_earlier_version_are_read(run: Path) -> None:
    report = json.loads((run / "evaluation.json").read_text())
    scores = [{**score, "length": score.pop("cells")} for score in report["scores"]]
    old = {"directory": "runs/x", "task": "badd", "steps": 20, "milestone": "done", "scores": scores}
    (run / "evaluation.json").write_text(json.dumps(old))
    (accuracy,) = read_accuracies([run])
    assert [(score.size, score.cells) for score in accuracy.report.scores] == [(4, 9), (4, 9)]
    assert accuracy.report.unit == "bits"


def test_an_unknown_setting_is_told_with_the_nearest(run: Path) -> None:
    with pytest.raises(UserError, match="has no setting 'dropuot'; did you mean dropout"):
        read_sweep([run], "dropuot")
