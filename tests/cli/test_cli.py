import json
import os
import subprocess
import sys

import pytest

from command import error_of, ngpu, torch_is_not_loaded_by
from neuralgpu.cli import VERBS


def test_help_names_every_verb_and_does_not_load_torch() -> None:
    shown = torch_is_not_loaded_by("--help")
    assert all(f"\n  {verb} " in shown for verb in VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_the_help_of_each_verb_has_examples(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ngpu(capsys, verb, "--help")
    assert code == 0
    assert f"\n  ngpu {verb} " in out or f"\n  ngpu {verb}\n" in out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["trian"], "unknown verb 'trian'; did you mean train?"),
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
    command = [sys.executable, "-m", "neuralgpu", "tasks", "--jso"]
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    wrong = subprocess.run(command, capture_output=True, check=False, text=True, env=environment)
    assert wrong.returncode == 2
    assert wrong.stderr == ("ngpu: error: Unrecognized options: --jso; did you mean --json?; see ngpu tasks --help\n")


def test_info_names_versions_and_engine(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = ngpu(capsys, "info", "--json")
    assert {"neuralgpu", "torch", "python", "engine", "threads"} <= json.loads(out).keys()
