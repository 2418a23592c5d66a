import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from command import ngpu
from neuralgpu.cli import VERBS
from tiny import TINY


def error_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one line that a wrong command prints."""
    code, out, err = ngpu(capsys, *arguments)
    assert code == 2
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("ngpu: error: ")
    return err.removeprefix("ngpu: error: ")


def torch_is_not_loaded_by(*arguments: str) -> str:
    """What a command prints, in a process of its own that fails if it loads torch."""
    program = f"""
import sys
from neuralgpu.cli import main
try:
    main({arguments!r})
finally:
    assert "torch" not in sys.modules
"""
    return subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True).stdout


def test_help_names_every_verb_and_does_not_load_torch() -> None:
    program = (
        "import sys; from neuralgpu.cli import main\ntry: main(['--help'])\nfinally: assert 'torch' not in sys.modules"
    )
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True).stdout
    assert all(f"\n  {verb} " in shown for verb in VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_the_help_of_each_verb_has_examples(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ngpu(capsys, verb, "--help")
    assert code == 0
    assert f"\n  ngpu {verb} " in out or f"\n  ngpu {verb}\n" in out


def test_the_help_of_train_does_not_load_torch() -> None:
    assert torch_is_not_loaded_by("train", "--help").startswith("usage: ngpu train")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["trian"], "unknown verb 'trian'; did you mean train?"),
        (["train"], "no task given; known: badd"),
        (["train", "revers"], "unknown task 'revers'; did you mean reverse?"),
        (["train", "copy", "--recipe", "papr"], "unknown recipe 'papr'; did you mean paper?"),
        (["train", "copy", "--droput", "0.1"], "--droput, 0.1; did you mean --dropout"),
        (["train", "copy", "--dropout", "much"], "--dropout: could not convert string to float: 'much'"),
        (["train", "copy", "--dropout", "2"], "dropout is 2.0; it must be at least 0 and below 1"),
        (["train", "copy", "--threads", "-1"], "threads is -1"),
        (["train", "copy", "--out", "/dev/null/run"], "cannot write to /dev/null/run"),
        (["train", "copy", "--seed", "-1"], "seed is -1; it must be from 0"),
        (["train", "copy", "--evaluate-lengths", "0"], "length 0 is too small"),
        (["train", "copy", "--evaluate-count", "-1"], "evaluate_count is -1"),
        (["train", "badd", "--evaluate-lengths", "2"], "length 2 is too short for badd"),
        (["train", "--resume", "/nowhere"], "/nowhere/config.json does not exist"),
        (["train", "--resume", "/dev/null"], "/dev/null/config.json does not exist"),
        (["run", "/nowhere", "01"], "/nowhere is neither a shipped network nor a directory"),
        (["evaluate"], "Missing from ngpu evaluate"),
    ],
)
def test_a_wrong_command_says_in_one_line_what_would_be_right(
    arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert complaint in error_of(capsys, *arguments)


@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_a_wrong_setting_is_told_in_any_encoding(encoding: str) -> None:
    command = [sys.executable, "-m", "neuralgpu.cli", "tasks", "--jso"]
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    wrong = subprocess.run(command, capture_output=True, check=False, text=True, env=environment)
    assert wrong.returncode == 2
    assert wrong.stderr == ("ngpu: error: Unrecognized options: --jso; did you mean --json?; see ngpu tasks --help\n")


def test_train_writes_a_complete_run_directory(tiny_run: Path) -> None:
    names = {file.name for file in tiny_run.iterdir()}
    assert {"config.json", "metrics.jsonl", "model.safetensors", "checkpoints", "evaluation.json"} <= names
    assert any(name.startswith("events.out.tfevents") for name in names)
    lines = [json.loads(line) for line in (tiny_run / "metrics.jsonl").read_text().splitlines()]
    assert [line["step"] for line in lines] == [10, 20]
    assert {"loss", "exact", "symbol", "size", "pull"} <= lines[0].keys()


def test_a_second_run_in_the_same_directory_is_refused(tiny_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert f"go on with --resume {tiny_run}" in error_of(capsys, "train", "badd", *TINY, "--out", str(tiny_run))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (["--dropout", "0.5"], "dropout is 0.09 in"),
        (["--maps", "16"], "maps is 8 in"),
        (["--seed", "7"], "seed is 0 in"),
        (["--engine", "auto"], "engine is"),
        (["--threads", "7"], "threads is"),
        (["copy"], "task is badd in"),
    ],
)
def test_resuming_with_another_setting_is_refused_by_its_name(
    tiny_run: Path, change: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert complaint in error_of(capsys, "train", "--resume", str(tiny_run), *change)


def test_the_default_directory_is_never_one_that_is_taken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("copy-paper-0", "copy-paper-0-2"):
        _, out, _ = ngpu(capsys, "train", "copy", *TINY, "--max-steps", "1", "--evaluate-count", "0", "--json")
        assert json.loads(out)["directory"] == f"runs/{name}"


def test_a_full_disk_is_told_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full_disk(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("neuralgpu.training.directory.save_tensors", full_disk)
    code, _, errors = ngpu(capsys, "train", "copy", *TINY, "--max-steps", "1", "--out", str(tmp_path / "run"))
    assert code == 2
    assert errors.endswith("\nngpu: error: [Errno 28] No space left on device\n")


def test_resuming_a_finished_run_evaluates_it_again(tiny_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (tiny_run / "model.safetensors").read_bytes()
    code, out, _ = ngpu(capsys, "train", "--resume", str(tiny_run), "--evaluate-lengths", "9", "--json")
    assert code == 0
    assert json.loads(out)["steps"] == 20
    assert (tiny_run / "model.safetensors").read_bytes() == before


def test_run_prints_each_answer_with_a_verdict(tiny_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ngpu(capsys, "run", str(tiny_run), "1010+0111", "11+11")
    lines = out.splitlines()
    assert len(lines) == 2
    assert all("correct)" in line or "would be right)" in line for line in lines)
    assert code == (0 if all("correct)" in line for line in lines) else 1)


def test_an_output_with_pad_where_zeros_belong_is_not_correct(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = str(tmp_path / "run")
    small = ["--maps", "24", "--batch", "1", "--max-steps", "1", "--evaluate-count", "0"]
    ngpu(capsys, "train", "badd", "--recipe", "diagonal", *small, "--out", run)
    monkeypatch.setattr("neuralgpu.network.Network.answers", lambda self, tapes: np.array([[1, 2, 0]]))
    code, out, _ = ngpu(capsys, "run", run, "1+1")  # 01 and PAD, not 010
    assert code == 1
    assert out.startswith("01   (1 + 1 = 2, wrong")


def test_run_reads_lines_from_standard_input(
    tiny_run: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("1010+0111\n0+1\n"))
    _, out, _ = ngpu(capsys, "run", str(tiny_run), "--json")
    answers = [json.loads(line) for line in out.splitlines()]
    assert [answer["expected"] for answer in answers] == ["11001", "1"]
    assert all(answer["correct"] == (answer["output"] == answer["expected"]) for answer in answers)


def test_run_names_the_line_of_a_bad_input(
    tiny_run: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("0+1\n0+\n"))
    code, out, err = ngpu(capsys, "run", str(tiny_run))
    assert code == 2
    assert out.count("\n") == 1
    assert "line 2: operand lengths differ: 1 and 0 bits" in err


@pytest.mark.parametrize(
    ("text", "complaint"),
    [("", "the input is empty"), ("10+2", "not in the alphabet of badd: 0 1 +"), ("1010+01", "4 and 2 bits")],
)
def test_run_refuses_bad_input(tiny_run: Path, text: str, complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert complaint in error_of(capsys, "run", str(tiny_run), text)


def test_run_without_any_input_says_what_it_takes(
    tiny_run: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert "no input; badd takes text like '0110+0101'" in error_of(capsys, "run", str(tiny_run))


@pytest.mark.parametrize(
    ("file", "content", "complaint"),
    [
        ("model.safetensors", b"not tensors", "is damaged"),
        ("model.safetensors", None, "does not exist; train first"),
        ("config.json", b"{", "is not valid JSON"),
        ("config.json", None, "does not exist"),
    ],
)
def test_a_damaged_run_directory_is_named(
    tiny_run: Path, tmp_path: Path, file: str, content: bytes | None, complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(tiny_run, copy)
    (copy / file).unlink()
    if content is not None:
        (copy / file).write_bytes(content)
    assert complaint in error_of(capsys, "run", str(copy), "1+1")


def test_weights_that_do_not_fit_the_configuration_are_named(
    tiny_run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(tiny_run, copy)
    config = (copy / "config.json").read_text()
    (copy / "config.json").write_text(config.replace('"maps": 8', '"maps": 16'))
    assert "does not fit" in error_of(capsys, "run", str(copy), "1+1")


def test_evaluate_prints_both_scores_at_each_size(tiny_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ngpu(capsys, "evaluate", str(tiny_run), "--sizes", "4", "--lengths", "11", "--count", "20")
    assert code == 0
    assert "exact" in out
    assert "symbols right" in out
    assert "shortest counter-example, wrong at position" in out


def test_evaluate_gives_json(tiny_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = ngpu(capsys, "evaluate", str(tiny_run), "--lengths", "9", "12", "--count", "20", "--json")
    scores = json.loads(out)["scores"]
    random = [score for score in scores if score["inputs"] == "random"]
    assert [(score["size"], score["length"], score["count"]) for score in random] == [(4, 9, 20), (5, 11, 20)]
    assert [score["size"] for score in scores if score["inputs"] == "stress"] == [4, 5]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--lengths", "2"], "length 2 is too short for badd; it takes at least 3 cells"),
        (["--sizes", "0"], "size 0 is too small"),
        (["--count", "0"], "count is 0"),
    ],
)
def test_evaluate_refuses_impossible_sizes(
    tiny_run: Path, arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert complaint in error_of(capsys, "evaluate", str(tiny_run), *arguments)


def test_tasks_lists_examples_with_their_answers(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = ngpu(capsys, "tasks", "--json")
    rows = {row["task"]: row for row in json.loads(out)}
    assert (rows["bmul"]["example"], rows["bmul"]["answer"]) == ("0110*0101", "001111")


def test_info_names_versions_and_engine(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = ngpu(capsys, "info", "--json")
    assert {"neuralgpu", "torch", "python", "engine", "threads"} <= json.loads(out).keys()


def test_interrupt_saves_and_says_how_to_go_on(tmp_path: Path) -> None:
    run = tmp_path / "run"
    command = [sys.executable, "-m", "neuralgpu.cli", "train", "badd", *TINY, "--out", str(run)]
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
