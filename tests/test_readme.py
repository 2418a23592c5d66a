"""What the README shows, works."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

import neuralgpu
from command import ngpu

README = (Path(__file__).parent.parent / "README.md").read_text()
CONSOLE = [block for block in re.findall(r"```\n(.*?)```", README, flags=re.DOTALL) if block.startswith("$ ")]
SNIPPETS = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
SHORT: dict[str, list[str]] = {
    "train": shlex.split("--fit.steps 1 --harden.steps 1 --retry.retries 0 --threads 1 --evaluate-count 0"),
    "play": ["--export", "public"],
}
"""What keeps a command short; everything else runs as it is shown."""


@pytest.fixture(autouse=True)
def _there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_it_is_read_in_two_minutes() -> None:
    prose = re.sub(r"^\|.*\n", "", README, flags=re.MULTILINE)  # the rows of the table are looked up, not read
    assert len(prose.split()) < 600


@pytest.mark.parametrize("block", CONSOLE)
def test_its_commands_run_one_after_the_other_and_print_what_it_says(
    block: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for command, _, promised in (part.partition("\n") for part in block.removeprefix("$ ").split("\n$ ")):
        name, *words = shlex.split(command)
        if name != "ngpu":
            continue
        code, out, err = ngpu(capsys, *words, *SHORT.get(words[0], []))
        assert code in ((0, 1) if "runs/" in command else (0,)), err  # a network that took one step may be wrong
        if promised.strip():
            assert out.strip() == promised.strip()


def test_its_python_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    exec(SNIPPETS[0], {"neuralgpu": neuralgpu})
    promised = re.findall(r"^print.*  # (.*)$", SNIPPETS[0], flags=re.MULTILINE)
    assert len(promised) == 2
    assert capsys.readouterr().out.splitlines() == promised


def test_its_own_task_is_trained() -> None:
    few_steps = 'neuralgpu.train(Swap, threads=1, evaluate_count=0, **{"fit.steps": 1, "retry.retries": 0})'
    names: dict[str, Any] = {"neuralgpu": neuralgpu}
    exec(SNIPPETS[1].replace("neuralgpu.train(Swap)", few_steps), names)
    assert len(names["network"]("abcab")) == 5
    assert len(SNIPPETS[1].splitlines()) == 6
