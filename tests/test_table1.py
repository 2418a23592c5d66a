"""The experiment of Table 1, run as its command with networks of a second."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from neuralgpu.evaluation.report import Report

HERE = Path(__file__).parent.parent
SCRIPT = HERE / "experiments" / "table1.py"
TINY = ["cells=4", "layers=1", "batch=2", "max_steps=10", "examples_per_size=20"]


def table1(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), "--out", "out/table1", "--threads", "1", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the command has trained two networks and scored them beside a given one."""
    folder = tmp_path_factory.mktemp("table1")
    baseline = ["--columns", "lstm-attention", "--tasks", "badd", "--seeds", "0", "1", "--settings", *TINY]
    done = table1(folder, *baseline, "--sizes", "20", "25", "--counts", "20:3", "25:2")
    assert done.returncode == 0, done.stderr
    done = table1(
        folder,
        "--columns",
        "exact",
        "--networks",
        "exact:badd=badd",
        "--tasks",
        "badd",
        "--sizes",
        "20",
        "--counts",
        "20:4",
    )
    assert done.returncode == 0, done.stderr
    return folder / "out"


def test_every_network_has_a_report(made: Path) -> None:
    found = {path.stem: Report.from_dict(json.loads(path.read_text())) for path in (made / "table1").glob("*.json")}
    assert set(found) == {"badd-lstm-attention-seed-0", "badd-lstm-attention-seed-1", "badd-exact-seed-1"}
    counts = [
        (score.size, score.count) for score in found["badd-lstm-attention-seed-1"].scores if score.inputs == "random"
    ]
    assert counts == [(20, 3), (25, 2)]
    training = found["badd-lstm-attention-seed-1"].training
    assert training is not None
    assert str(training["command"]).startswith("ngpu train badd --recipe lstm-attention --seed 1 --layers 1 --cells 4")


def test_the_table_has_ours_beside_the_paper_s(made: Path) -> None:
    lines = (made / "table1.md").read_text().splitlines()
    row = next(line for line in lines if line.startswith("| `badd`@25 "))
    assert row.endswith("| not scored; paper 100 % | 0/2 = 0 %, > 0.00 %; 0 of 2 without error; paper 73 % |")
    row = next(line for line in lines if line.startswith("| `badd`@20 "))
    assert "| 4/4 = 100 %, > 47.28 %; 1 of 1 without error |" in row
    row = next(line for line in lines if line.startswith("| `bmul`@20 "))
    assert "| not applicable |" in row


def test_the_same_is_there_for_programs(made: Path) -> None:
    cells = json.loads((made / "table1.json").read_text())
    assert len(cells) == 9 + 9 + 5 + 9
    cell = next(
        cell for cell in cells if (cell["column"], cell["size"]) == ("lstm-attention", 25) and cell["task"] == "badd"
    )
    assert cell["networks"] == {"seed-0": [0, 2], "seed-1": [0, 2]}
    assert (cell["paper_percent"], cell["without_error"], cell["best"]) == (73, 0, [0, 2])


def test_a_figure_shows_it(made: Path) -> None:
    assert "badd: bits" in (made / "table1.svg").read_text()


def test_sizes_that_are_scored_already_stay_as_they_are(made: Path) -> None:
    path = made / "table1" / "badd-exact-seed-1.json"
    before = path.stat().st_mtime_ns
    done = table1(
        made.parent,
        "--columns",
        "exact",
        "--networks",
        "exact:badd=badd",
        "--tasks",
        "badd",
        "--sizes",
        "20",
        "--counts",
        "20:2",
    )
    assert done.returncode == 0
    assert path.stat().st_mtime_ns == before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--columns", "lstm"], "unknown column 'lstm'; known: neural-gpu, exact, stack-rnn, lstm-attention"),
        (["--networks", "stack-rnn:bmul=x"], "--networks has 'stack-rnn:bmul=x'; name a column, a task and a path"),
        (["--counts", "2000"], "--counts has '2000'; give a size and a number of inputs, such as 2000:5"),
    ],
)
def test_what_is_wrong_is_one_sentence(tmp_path: Path, arguments: list[str], said: str) -> None:
    done = table1(tmp_path, *arguments)
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: {said}")
    assert done.stderr.count("\n") == 1


def test_the_committed_table_is_what_the_committed_reports_make() -> None:
    spec = importlib.util.spec_from_file_location("table1", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    reports = script.read_reports(SCRIPT.with_suffix(""))
    assert SCRIPT.with_suffix(".md").read_text() == script.markdown(reports)
    assert json.loads(SCRIPT.with_suffix(".json").read_text()) == script.cells(reports)
