"""Sweeps without Ray: going on, failing, pruning, reporting."""

import json
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from neuralgpu import evaluate, load, sweep, train
from neuralgpu.errors import UserError
from neuralgpu.sweeps.best import take
from neuralgpu.sweeps.directory import PointDirectory
from neuralgpu.sweeps.report import read_report, write_report
from neuralgpu.sweeps.status import read_status
from tiny_sweep import AXES, SETTINGS, tiny_sweep, weights
from toy import Swap


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished sweep of four points."""
    path = tmp_path_factory.mktemp("sweeps") / "copy"
    tiny_sweep(path)
    return path


def test_every_point_is_trained_once_with_its_own_seed(done: Path) -> None:
    report = read_report(done)
    assert report.status.counts == {"done": 4, "running": 0, "waiting": 0, "pruned": 0, "failed": 0}
    assert [row["seed"] for row in report.rows()] == [0, 1, 2, 3]
    attempts = [PointDirectory(path).attempts() for path in sorted(done.glob("points/*"))]
    assert [len(lines) for lines in attempts] == [1, 1, 1, 1]


def test_point_has_the_weights_that_train_gives(done: Path, tmp_path: Path) -> None:
    settings = {**SETTINGS, "learning_rate": 3e-3, "dropout": 0.09}
    train("copy", "paper", seed=3, out=tmp_path / "run", threads=2, evaluate_count=0, **settings)
    assert (tmp_path / "run/model.safetensors").read_bytes() == weights(done)[3]


def test_finished_sweep_is_left_as_it_is(done: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in done.glob("points/*/*")}
    assert tiny_sweep(done).status.counts["done"] == 4
    assert {path: path.stat().st_mtime_ns for path in done.glob("points/*/*")} == before


def test_stopped_sweep_goes_on_to_the_same_weights(done: Path, tmp_path: Path) -> None:
    looks = iter(range(1000))
    report = tiny_sweep(tmp_path / "cut", stop=lambda: next(looks) > 100)
    assert report.status.counts["done"] < 4
    tiny_sweep(tmp_path / "cut")
    assert weights(tmp_path / "cut") == weights(done)


def test_directory_of_another_sweep_is_refused_and_kept(done: Path) -> None:
    before = weights(done)
    with pytest.raises(UserError, match=r"holds another sweep: axes is learning_rate=0\.001,0\.003 .* there and .*"):
        tiny_sweep(done, axes={"learning_rate": [1e-3, 2e-3]})
    with pytest.raises(UserError, match="holds another sweep: maps is 8 there and 9 here"):
        tiny_sweep(done, maps=9)
    assert weights(done) == before


def test_directory_of_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(UserError, match="holds other files and no sweep"):
        tiny_sweep(tmp_path)


def test_failed_point_is_tried_again_and_then_reported(tmp_path: Path) -> None:
    out = tmp_path / "failing"
    tiny_sweep(out, stop=lambda: True)
    (out / "points/1").mkdir(parents=True)
    (out / "points/1/config.json").write_text("{}")
    report = tiny_sweep(out, retries=2)
    assert report.status.counts["done"] == 3
    assert report.status.counts["failed"] == 1
    assert len(PointDirectory(out / "points/1").failures()) == 3
    assert "has no format" in report.markdown()
    (out / "points/1/config.json").unlink()
    assert tiny_sweep(out, retries=3).status.counts["done"] == 4


def test_failure_before_the_last_checkpoint_does_not_count(tmp_path: Path) -> None:
    point = PointDirectory(tmp_path / "7")
    (point.path / "checkpoints").mkdir(parents=True)
    point.note(failed="the worker died")
    assert point.failures() == ["the worker died"]
    (point.path / "checkpoints/step-00000010.safetensors").touch()
    assert point.failures() == []


def test_pruning_ends_the_worse_half_and_decides_alike_when_it_is_run_again(tmp_path: Path) -> None:
    axes = {"learning_rate": [1e-5, 1e-3, 1e-2], "dropout": [0.06, 0.09, 0.135]}
    report = tiny_sweep(tmp_path / "a", axes=axes, max_steps=80)
    assert report.status.counts["pruned"] >= 3
    assert report.status.counts["done"] >= 5
    looks = iter(range(10_000))
    tiny_sweep(tmp_path / "b", axes=axes, max_steps=80, stop=lambda: next(looks) > 120)
    again = tiny_sweep(tmp_path / "b", axes=axes, max_steps=80)
    assert [point.state for point in again.status.points] == [point.state for point in report.status.points]
    assert weights(tmp_path / "b") == weights(tmp_path / "a")


def test_own_task_is_swept(tmp_path: Path) -> None:
    report = tiny_sweep(tmp_path / "s", task=Swap(), axes={"dropout": [0.0, 0.1]})
    assert report.status.counts["done"] == 2
    assert take(report, 2, ensemble=True, sizes=[4], count=5, task=Swap()).reports[0].task == "swap"


def test_a_task_in_a_file_is_swept(tmp_path: Path) -> None:
    file = tmp_path / "same.py"
    file.write_text(
        'alphabet = "ab"\ndef random(rng, size): return "".join(rng.choice(list("ab"), size))\n'
        "def answer(text): return text\n"
    )
    report = tiny_sweep(tmp_path / "s", task=str(file), axes={"dropout": [0.0, 0.1]})
    assert report.status.counts["done"] == 2
    assert take(report, 1, sizes=[4], count=5).reports[0].task == "same"


def test_any_recipe_is_swept_with_several_seeds(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"maps": 6, "fit.steps": 20, "fit.batch": 2, "retry.retries": 0}
    report = sweep(
        "reverse",
        {"fit.lengths": [[8], [8, 12]]},
        recipe="exact",
        seeds=2,
        out=tmp_path / "s",
        engine="serial",
        evaluate_sizes=[5],
        evaluate_count=5,
        **settings,
    )
    assert report.status.counts["done"] == 4
    assert [row["seed"] for row in report.rows()] == [0, 1, 2, 3]


def test_report_is_written_in_every_form(done: Path, tmp_path: Path) -> None:
    written = write_report(read_report(done), tmp_path / "report")
    assert {path.name for path in written} == {
        *("report.csv", "report.json", "report.md"),
        *("axis-learning_rate.png", "axis-dropout.png"),
    }
    found = json.loads((tmp_path / "report/report.json").read_text())
    assert found["done"] == 4
    assert len(found["points"]) == 4
    assert found["best_command"].startswith("ngpu train copy --recipe paper --seed ")
    assert "finished points without an error" in (tmp_path / "report/report.md").read_text()


def test_report_and_status_do_not_import_ray(done: Path) -> None:
    program = f"""
import sys
sys.modules["ray"] = None
from neuralgpu.cli import main
for verb in ("status", "report"):
    try:
        main(["sweep", verb, {str(done)!r}, "--json"])
    except SystemExit as stop:
        assert stop.code == 0
"""
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)


def test_ensemble_of_the_best_is_evaluated_on_other_inputs(done: Path) -> None:
    report = read_report(done)
    taken = take(report, 2, ensemble=True, sizes=[5], count=20)
    assert taken.paths == tuple(report.best[:2])
    alone = evaluate(load(report.best[0]), [5], 20, seed=1)
    assert taken.reports[0].evaluation_seed == alone.evaluation_seed == 1
    with pytest.raises(UserError, match=r"4 points of .* are finished; ask for at most as many, not 5"):
        take(report, 5)


def test_full_disk_is_one_sentence_and_loses_nothing(done: Path, tmp_path: Path) -> None:
    out = tmp_path / "full"
    command = [sys.executable, "-m", "neuralgpu", "sweep", "copy", "--engine", "serial", "--out", str(out)]
    command += ["--evaluate-sizes", "5", "--evaluate-count", "10"]
    command += [word for name, values in AXES.items() for word in ("--axis", f"{name}={','.join(map(str, values))}")]
    command += [word for name, value in SETTINGS.items() for word in ("--set", f"{name}={value}")]

    def small_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (8000, 8000))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    full = subprocess.run(command, preexec_fn=small_files, capture_output=True, text=True, check=False)
    assert full.returncode == 2
    problem = f"cannot write to {out}: file too large"
    assert full.stderr == f"ngpu: error: {problem}; nothing is lost: mend that, and the same command goes on\n"
    subprocess.run(command, check=True, capture_output=True)
    assert weights(out) == weights(done)


def test_running_point_is_seen_by_its_lock(done: Path) -> None:
    point = PointDirectory(done / "points/2")
    result = point.path / "result.json"
    content = result.read_bytes()
    result.unlink()
    try:
        assert read_status(done).points[2].state == "waiting"
        with point.locked():
            assert read_status(done).points[2].state == "running"
    finally:
        result.write_bytes(content)
