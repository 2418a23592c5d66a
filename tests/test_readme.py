"""What the README shows, works."""

import re
import shlex
from pathlib import Path

import pytest

from neuralgpu.cli import main
from neuralgpu.tasks import get_task

README = (Path(__file__).parent.parent / "README.md").read_text()
COMMANDS = [line.split("#")[0] for line in README.splitlines() if line.startswith(".venv/bin/ngpu ")]


@pytest.fixture(autouse=True)
def _there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("command", COMMANDS)
def test_its_commands_run(command: str) -> None:
    arguments = shlex.split(command)[1:]
    if arguments[0] == "train":
        arguments += ["--max-steps", "1", "--evaluate-count", "0"]
    if arguments[0] == "evaluate":
        arguments += ["--count", "1"]
    with pytest.raises(SystemExit, match="0"):
        main(arguments)


def test_its_python_runs() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    exec(code, {})


def test_its_answers_are_right() -> None:
    rows = re.findall(r"^\| `(\w+)` \| `(\S+)` \| `(\S+)` \|", README, flags=re.MULTILINE)
    assert len(rows) == 6
    for task, text, answer in rows:
        assert get_task(task).answer(text) == answer
