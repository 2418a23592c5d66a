"""`ngpu train`: flags, refusals, what it prints, and Ctrl-C."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from command import error_of, ngpu, torch_is_not_loaded_by
from full_disk import with_files_of_at_most
from neuralgpu.runs.config import load_config
from neuralgpu.training.config import setting_values
from neuralgpu.training.recipes import RECIPES, get_recipe
from tiny import TINY

STAGED = shlex.split("--recipe exact --fit.batch 1 --fit.steps 3 --harden.steps 2 --threads 1 --evaluate-count 0")
"""A training in stages whose attempts take three steps."""
ONCE = ["--retry.retries", "0"]
"""One attempt of it."""


@pytest.mark.parametrize("recipe", RECIPES)
def test_help_shows_every_setting_of_the_recipe_with_what_it_means(
    recipe: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = ngpu(capsys, "train", "--recipe", recipe, "--help-all")
    assert code == 0
    for name in setting_values(get_recipe(recipe)):
        group, dot, leaf = name.rpartition(".")
        flag = leaf.replace("_", "-")
        shown = re.search(rf"--{group}{dot}(no-)?{flag}[ ,](.|\n)*?\(default: ", out)
        assert shown, name
        assert len(shown[0].split("(default")[0].split()) > 4, name  # a flag, what it takes, and words about it


def test_help_lists_the_recipes_with_what_each_is_for_and_does_not_load_torch() -> None:
    shown = torch_is_not_loaded_by("train", "--help")
    assert shown.startswith("usage: ngpu train")
    assert all(f"\n  {name:<14} {what}" in shown for name, what in RECIPES.items())


def test_help_shows_the_flags_that_people_use_and_names_the_one_that_shows_all(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, _ = ngpu(capsys, "train", "--recipe", "paper", "--help")
    assert code == 0
    flags = re.findall(r"^  (--[\w-]+)", out.partition("options:")[2], flags=re.MULTILINE)
    assert len(flags) == 11
    assert flags[-1] == "--help-all"
    assert "show every flag; here, the settings of the recipe paper among them" in " ".join(out.split())
    assert "--dropout " not in out.partition("options:")[2]
    assert len(out.splitlines()) < 60


def test_help_of_resuming_shows_no_settings(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ngpu(capsys, "train", "--resume", "runs/x", "--help")
    assert code == 0
    assert "--checkpoint-seconds" in out
    assert "--dropout" not in out


# What is refused


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("", "no task given; known: badd, bmul, copy, reverse, duplicate, sort"),
        ("revers", "unknown task 'revers'; did you mean reverse?"),
        ("copy --recipe papr", "unknown recipe 'papr'; did you mean paper?"),
        (
            "copy --recipe paper --droput 0.1",
            "Unrecognized options: --droput, 0.1; did you mean --dropout?; see ngpu train --recipe paper --help-all",
        ),
        (
            "copy --recipe exact --harden.stesp 3",
            "Unrecognized options: --harden.stesp, 3; did you mean --harden.steps?; "
            "see ngpu train --recipe exact --help-all",
        ),
        (
            "copy --recipe paper --harden.steps 3",
            "Unrecognized options: --harden.steps, 3; see ngpu train --recipe paper --help-all",
        ),
        (
            "copy --recipe paper --dropout much",
            "Error parsing --dropout: could not convert string to float: 'much'; "
            "see ngpu train --recipe paper --help-all",
        ),
        ("copy --recipe paper --dropout 2", "dropout is 2.0; it must be at least 0 and below 1"),
        ("copy --recipe exact --maps 25", "maps is 25; it must be a multiple of 3"),
        ("copy --recipe exact --harden.steps 0", "harden.steps is 0; it must be from 1 to 2147483647"),
        ("copy --recipe exact --fit.lengths 5 99", "fit.lengths is (5, 99); it must be from 3 to 41"),
        ("copy --recipe exact --tape.slack -1", "tape.slack is -1; it must be from 0 to 10000"),
        ("copy --recipe exact --examples.runs 2", "examples.runs is 2.0; it must be from 0 to 1"),
        ("copy --steps.per-cell nan", "steps.per_cell is nan; it must be from 0 to 1000"),
        ("copy --threads -1", "threads is -1; it must be from 0 to 1024, where 0 takes all cores"),
        ("copy --out .", "--out is '.'; name a directory of its own, such as runs/copy"),
        ("copy --out /dev/null/run", "cannot write to /dev/null/run: Not a directory; choose another --out"),
        ("copy --seed -1", "seed is -1; it must be from 0 to 2^63 - 1"),
        ("copy --evaluate-sizes 0", "size 0 is too small; it must be at least 1"),
        ("copy --evaluate-lengths 41", "Unrecognized options: --evaluate-lengths, 41"),
        ("copy --evaluate-count -1", "evaluate_count is -1; it must be from 0 to 2147483647"),
        ("--resume", "Missing value for argument '--resume'"),
        ("--resume /nowhere", "/nowhere/config.json does not exist; name a run directory made by `ngpu train`"),
        ("--resume /dev/null", "/dev/null/config.json does not exist; name a run directory made by `ngpu train`"),
    ],
)
def test_a_wrong_command_says_in_one_line_what_would_be_right_and_writes_nothing(
    words: str, said: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert error_of(capsys, "train", *words.split()).startswith(said)
    assert list(tmp_path.iterdir()) == []


def test_a_second_run_in_the_same_directory_is_refused(tiny_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = f"{tiny_run} already holds a run; go on with --resume {tiny_run}, or choose another --out\n"
    assert error_of(capsys, "train", "badd", *TINY, "--out", str(tiny_run)) == said


@pytest.mark.parametrize("change", ["--dropout 0.5", "--maps 16", "--seed 7", "--engine auto", "copy"])
def test_resuming_with_another_setting_is_refused(
    tiny_run: Path, change: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said = error_of(capsys, "train", "--resume", str(tiny_run), *change.split())
    assert said == (
        f"Unrecognized options: {change.replace(' ', ', ')}; see ngpu train --help; a run that is resumed keeps its "
        "task and settings\n"
    )


@pytest.mark.parametrize("size", [600, 4_000, 50_000])
def test_a_full_disk_is_told_in_one_line(size: int, tmp_path: Path) -> None:
    """The first file that is too large is the events', the metrics or a checkpoint."""
    run = tmp_path / "run"
    code, errors = with_files_of_at_most(size, "train", "copy", *TINY, "--max-steps", "200", "--out", str(run))
    assert code == 2
    *progress, last = errors.splitlines()
    assert last.removesuffix("; choose another --out") in (
        f"ngpu: error: {run}: File too large",
        f"ngpu: error: cannot write to {run}: File too large",
    )
    assert all(line.startswith("copy (paper): ") for line in progress)


# What is written and printed


def test_a_run_directory_is_complete(tiny_run: Path) -> None:
    names = {file.name for file in tiny_run.iterdir()}
    assert {"config.json", "metrics.jsonl", "model.safetensors", "checkpoints", "evaluation.json"} <= names
    assert any(name.startswith("events.out.tfevents") for name in names)
    lines = [json.loads(line) for line in (tiny_run / "metrics.jsonl").read_text().splitlines()]
    assert [line["step"] for line in lines] == [10, 20]
    assert {"loss", "exact", "symbol", "size", "pull"} <= lines[0].keys()


def test_flags_of_groups_change_their_settings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        *STAGED,
        *ONCE,
        "--tape.slack",
        "2",
        "--steps.extra",
        "3",
        "--examples.patterned",
        "0.5",
        "--fit.lengths",
        "5",
        "9",
    ]
    code, _, _ = ngpu(capsys, "train", "copy", *words, "--out", str(tmp_path / "run"))
    assert code == 0
    config = load_config(tmp_path / "run" / "config.json")
    assert (config.network.tape.extra, config.network.steps.extra) == (2, 3)
    settings = config.training["settings"]
    assert (settings["examples"]["patterned"], settings["fit"]["lengths"]) == (0.5, [5, 9])
    assert (settings["harden"]["steps"], settings["fit"]["steps"]) == (2, 3)


def test_the_end_is_told_with_scores_steps_directory_and_what_to_try(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    evaluated = ["--max-steps", "1", "--evaluate-sizes", "3", "--evaluate-count", "5", "--out", str(run)]
    code, out, _ = ngpu(capsys, "train", "badd", *TINY, *evaluated)
    assert code == 0
    assert re.search(r"bits.*inputs.*exact.*95 % bound.*symbols right", out)
    assert re.search(r"\n1 steps in 0\.\d minutes; 3/20 bits  pull 0\.0005 on 6 sets\n", out)
    assert f"\nrun directory: {run}\n" in out
    assert re.search(rf"\ntry it: \S+ run {run} '0110\+0101'\n$", out)


def test_the_end_is_told_with_the_verdict_of_the_exam(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [*STAGED, "--retry.retries", "1", "--out", str(tmp_path / "run")]
    code, out, _ = ngpu(capsys, "train", "copy", *words)
    assert code == 0
    kept = r"this is the network of attempt [12], which came furthest"
    assert re.search(rf"\nno exam was passed; attempts: 2; {kept}\n", out)


def test_json_is_the_directory_and_the_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = tmp_path / "run"
    _, out, _ = ngpu(capsys, "train", "copy", *STAGED, *ONCE, "--json", "--out", str(run))
    assert json.loads(out) == {"directory": str(run), **json.loads((run / "evaluation.json").read_text())}


def test_the_default_directory_is_never_one_that_is_taken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("copy-paper-0", "copy-paper-0-2"):
        _, out, _ = ngpu(capsys, "train", "copy", *TINY, "--max-steps", "1", "--evaluate-count", "0", "--json")
        assert json.loads(out)["directory"] == f"runs/{name}"


def test_resuming_a_finished_run_evaluates_it_again(
    tiny_run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = shutil.copytree(tiny_run, tmp_path / "run")
    before = (run / "model.safetensors").read_bytes()
    code, out, _ = ngpu(capsys, "train", "--resume", str(run), "--evaluate-sizes", "5", "--json")
    assert code == 0
    report = json.loads(out)
    assert (report["training"]["steps"], report["scores"][0]["size"]) == (20, 5)
    assert (run / "model.safetensors").read_bytes() == before


def test_interrupt_saves_and_says_how_to_go_on(tmp_path: Path) -> None:
    run = tmp_path / "run"
    command = [sys.executable, "-m", "neuralgpu", "train", "badd", *TINY, "--out", str(run)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    while not (run / "metrics.jsonl").exists() or not (run / "metrics.jsonl").read_text():
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    assert process.returncode == 130
    assert "saved; go on with: " in errors
    assert f" train --resume {run}" in errors
    assert (run / "model.safetensors").exists()
