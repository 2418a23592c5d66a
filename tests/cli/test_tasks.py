import json
from pathlib import Path

import pytest

from command import error_of, ngpu
from neuralgpu.tasks import TASKS
from tiny import TINY
from toy import Swap


def test_tasks_lists_examples_with_their_answers(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ngpu(capsys, "tasks", "--json")
    rows = {row["task"]: row for row in json.loads(out)}
    assert code == 0
    assert list(rows) == list(TASKS)
    assert (rows["bmul"]["example"], rows["bmul"]["answer"]) == ("0110*0101", "001111")


@pytest.fixture
def own_task(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one line that makes a task known."""
    monkeypatch.setitem(TASKS, "swap", Swap())


@pytest.mark.usefixtures("own_task")
def test_a_task_of_one_s_own_works_with_every_verb(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ngpu(capsys, "tasks", "--json")
    assert code == 0
    assert json.loads(out)[-1] == {
        "task": "swap",
        "family": "your own",
        "alphabet": "abc",
        "size_in": "symbols",
        "example": "cbba",
        "answer": "caab",
        "meaning": "Every a becomes a b and every b an a; c stays.",
    }
    assert ngpu(capsys, "tasks")[0] == 0

    run = str(tmp_path / "run")
    trained = ngpu(capsys, "train", "swap", *TINY, "--max-steps", "1", "--evaluate-count", "1", "--out", run, "--json")
    assert trained[0] == 0
    assert {score["inputs"] for score in json.loads(trained[1])["scores"]} == {"random", "stress"}

    code, out, _ = ngpu(capsys, "evaluate", run, "--sizes", "5", "--count", "3", "--json")
    assert code == 0
    assert [score["count"] for score in json.loads(out)["scores"]] == [3, 20]

    code, out, _ = ngpu(capsys, "run", run, "abca")
    assert code in (0, 1)
    assert out.endswith("(correct)\n" if code == 0 else "(wrong, bacb would be right)\n")
    assert "'0' at position 1 is not in the alphabet of swap: a b c" in error_of(capsys, "run", run, "a0")

    figure = str(tmp_path / "accuracy.png")
    assert ngpu(capsys, "plot", run, "--accuracy", "-o", figure) == (0, f"{figure}\n", "")


def test_a_task_without_a_word_about_it_is_listed_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Silent(Swap):
        name = "silent"

    monkeypatch.setitem(TASKS, "silent", Silent())
    code, out, _ = ngpu(capsys, "tasks", "--json")
    assert code == 0
    assert json.loads(out)[-1]["meaning"] == ""
