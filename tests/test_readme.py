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
        arguments += ["--fit.steps", "2", "--retry.retries", "0", "--evaluate-count", "0"]
    if arguments[0] == "evaluate":
        arguments += ["--count", "1"]
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 0


SNIPPETS = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)


def test_its_python_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    exec(SNIPPETS[0], {})
    promised = re.findall(r"^print.*  # (.*)$", SNIPPETS[0], flags=re.MULTILINE)
    assert len(promised) == 2
    assert capsys.readouterr().out.splitlines() == promised


def test_its_training_in_python_runs() -> None:
    few_steps = 'recipe="exact", evaluate_count=0, **{"fit.steps": 2, "retry.retries": 0}'
    code = SNIPPETS[1].replace('recipe="exact"', few_steps).replace("[41, 401]", "[4]")
    exec(f"import neuralgpu\n{code}", {})


def test_its_answers_are_right() -> None:
    rows = re.findall(r"^\| `(\w+)` \| `(\S+)` \| `(\S+)` \|", README, flags=re.MULTILINE)
    assert len(rows) == 6
    for task, text, answer in rows:
        assert get_task(task).answer(text) == answer
