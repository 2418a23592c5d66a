"""What the README shows, works."""

import re
import shlex
from pathlib import Path

import pytest

from neuralgpu.cli import main
from neuralgpu.tasks import get_task
from tiny import TINY

README = (Path(__file__).parent.parent / "README.md").read_text()
COMMANDS = [line.split("#")[0] for line in README.splitlines() if line.startswith(".venv/bin/ngpu ")]


ONE_STEP = [*TINY, "--max-steps", "1", "--evaluate-count", "0"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the run that the README speaks of."""
    path = tmp_path_factory.mktemp("reader")
    with pytest.raises(SystemExit, match="0"):
        main(["train", "copy", *ONE_STEP, "--out", str(path / "runs" / "copy-paper-0")])
    return path


@pytest.fixture(autouse=True)
def _there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)


@pytest.mark.parametrize("command", COMMANDS)
def test_its_commands_run(command: str) -> None:
    arguments = shlex.split(command)[1:]
    if arguments[0] == "train":
        arguments += ONE_STEP
    if arguments[0] == "evaluate":
        arguments += ["--count", "1"]
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    may_be_wrong = arguments[0] == "run"  # the network is hardly trained
    assert stop.value.code in ((0, 1) if may_be_wrong else (0,))


def test_its_python_runs() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    exec(code, {})


def test_its_answers_are_right() -> None:
    rows = re.findall(r"^\| `(\w+)` \| `(\S+)` \| `(\S+)` \|", README, flags=re.MULTILINE)
    assert len(rows) == 6
    for task, text, answer in rows:
        assert get_task(task).answer(text) == answer
