"""From a file of examples, or a task of one's own, to a network that is used without it."""

import json
import shlex
import shutil
from pathlib import Path

import pytest

from command import error_of, ngpu
from files import write_pairs
from neuralgpu.runs.config import load_config
from neuralgpu.tasks.template import TEMPLATE

FEW = shlex.split("--fit.batch 1 --fit.steps 3 --harden.steps 2 --retry.retries 0 --threads 1 --evaluate-count 5")
"""A training in stages that takes three steps."""


@pytest.fixture(scope="module")
def sentences(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of sentences that turn, as CSV."""
    path = tmp_path_factory.mktemp("files") / "turned.csv"
    words = ("the", "cat", "sat")
    texts = [[words[number // 3**place % 3] for place in range(size)] for size in (4, 5, 6) for number in range(70)]
    path.write_text("".join(f"{' '.join(text)},{' '.join(reversed(text))}\n" for text in texts))
    return path


def test_a_file_is_trained_on_reported_and_needed_no_more(
    sentences: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, run = shutil.copy(sentences, tmp_path), str(tmp_path / "run")
    code, out, told = ngpu(capsys, "train", str(file), "--words", *FEW, "--out", run)
    assert code == 0
    assert "alphabet: 3 symbols, cat sat the" in told
    assert "held out: 70 pairs of 6 words, never trained on; 35 for exams, 35 for the report" in told
    assert "held out" in out
    assert "trained" in out
    assert load_config(Path(run) / "config.json").network.alphabet == ("cat", "sat", "the")
    assert json.loads((Path(run) / "config.json").read_text())["network"]["alphabet"] == ["cat", "sat", "the"]
    report = json.loads((Path(run) / "evaluation.json").read_text())
    assert [(score["inputs"], score["size"], score["count"]) for score in report["scores"]] == [
        ("trained", 5, 5),
        ("held out", 6, 5),
    ]
    assert report["training"]["command"].startswith("ngpu train turned.csv --recipe exact --seed 0 --words ")

    Path(file).unlink()
    code, out, _ = ngpu(capsys, "run", run, "the cat", "--json")
    assert code == 0
    answer = json.loads(out)
    assert answer["correct"] is None
    assert set(answer["output"].split()) <= {"the", "cat", "sat"}
    picture = str(tmp_path / "run.png")
    assert ngpu(capsys, "animate", run, "the cat sat", "-o", picture)[0] == 0
    assert "symbol 'dog' at position 1 is not in the alphabet of turned: cat sat the" in error_of(
        capsys, "run", run, "the dog"
    )


def test_a_network_is_scored_on_any_file(sentences: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = str(tmp_path / "run")
    ngpu(capsys, "train", str(sentences), "--words", *FEW, "--out", run)
    test = tmp_path / "test.jsonl"
    rows = [("the", "cat"), ("the cat sat", "the cat the"), ("sat sat sat", "")]
    test.write_text("".join(json.dumps({"input": text, "answer": answer}) + "\n" for text, answer in rows))
    code, out, _ = ngpu(capsys, "evaluate", run, "--data", str(test), "--json")
    assert code == 0
    scores = json.loads(out)["scores"]
    assert [(score["inputs"], score["size"], score["count"]) for score in scores] == [("file", 1, 1), ("file", 3, 2)]
    code, out, _ = ngpu(capsys, "evaluate", run, "--data", str(test), "--sizes", "3")
    assert code == 0
    assert "the cat sat" in out
    assert out.splitlines()[-1].endswith("^")

    test.write_text('{"input": "the dog", "answer": "cat"}\n')
    said = f"{test}: line 1: symbol 'dog' at position 1 is not in the alphabet of turned: cat sat the\n"
    assert error_of(capsys, "evaluate", run, "--data", str(test)) == said
    test.write_text('{"input": "the", "answer": "dog"}\n')
    assert "line 1: the answer 'dog' to 'the' has 'dog'" in error_of(capsys, "evaluate", run, "--data", str(test))
    assert "no.tsv does not exist; name a file" in error_of(capsys, "evaluate", run, "--data", str(tmp_path / "no.tsv"))


def test_a_run_goes_on_with_the_same_file_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, run = write_pairs(tmp_path / "swap.tsv"), str(tmp_path / "run")
    assert ngpu(capsys, "train", str(file), *FEW, "--out", run)[0] == 0
    assert ngpu(capsys, "train", "--resume", run, "--evaluate-count", "1")[0] == 0
    content = file.read_text()
    file.write_text(content + "aaaa\tbbbb\n")
    said = f"{run}: {file} has changed since the run began; a run goes on with the same file, so put that back\n"
    assert error_of(capsys, "train", "--resume", run) == said
    file.unlink()
    assert error_of(capsys, "train", "--resume", run).startswith(
        f"{run}: the run learns from swap.tsv, which is not at {file} any more; put it back"
    )


def test_the_template_is_trained_as_it_is_and_not_written_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, run = tmp_path / "my_task.py", str(tmp_path / "run")
    code, out, _ = ngpu(capsys, "tasks", "--template", str(file))
    assert code == 0
    assert out.endswith(f" train {file}\n")
    assert file.read_text() == TEMPLATE
    assert error_of(capsys, "tasks", "--template", str(file)) == f"{file} is there already; choose another name\n"
    assert "name a file of Python" in error_of(capsys, "tasks", "--template", str(tmp_path / "x.txt"))

    code, out, told = ngpu(capsys, "train", str(file), *FEW, "--evaluate-sizes", "5", "--out", run, "--json")
    assert code == 0
    assert "example: 'cbba' has the answer 'caab'" in told
    assert [score["inputs"] for score in json.loads(out)["scores"]] == ["random", "stress"]
    assert ngpu(capsys, "train", "--resume", run, "--evaluate-count", "0")[0] == 0
    file.write_text("raise SystemExit('code is never run from a changed file')\n")
    assert "has changed since the run began" in error_of(capsys, "train", "--resume", run)
    file.unlink()
    assert ngpu(capsys, "run", run, "abc")[0] == 0
