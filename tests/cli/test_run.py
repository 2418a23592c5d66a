import io
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from command import error_of, ngpu
from neuralgpu import zoo
from neuralgpu.models.config import NeuralGPUConfig
from neuralgpu.models.neural_gpu import NeuralGPU
from neuralgpu.network import Network
from neuralgpu.tasks import Tape, Task, get_task, open_task
from signing import sign


def test_run_prints_each_answer_with_a_verdict(tiny_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ngpu(capsys, "run", str(tiny_run), "1010+0111", "11+11")
    lines = out.splitlines()
    assert len(lines) == 2
    assert all("correct)" in line or "would be right)" in line for line in lines)
    assert code == (0 if all("correct)" in line for line in lines) else 1)


def let_answer(
    monkeypatch: pytest.MonkeyPatch, task: Task, *symbols: int, settled: NDArray[np.bool_] | None = None
) -> None:
    """Let `ngpu run` find a network that leaves these symbols on any tape."""
    network = Network(task, NeuralGPU(NeuralGPUConfig(layers=1, width=1, maps=8), task.symbols))
    monkeypatch.setattr(network, "answers_settled", lambda tapes, progress: (np.array([symbols]), settled))
    monkeypatch.setattr("neuralgpu.network.load", lambda *_, **__: network)


@pytest.mark.parametrize(
    ("fill", "symbols", "code", "line"),
    [
        ("0", (1, 2, 1, 1), 0, "01   (1 + 1 = 2, correct)"),
        (None, (1, 2, 0, 0), 0, "01   (1 + 1 = 2, correct)"),
        ("0", (2, 2, 1, 1), 1, "11   (1 + 1 = 3, wrong, 01 would be right)"),
        ("0", (1, 2, 1, 0), 1, "01   (1 + 1 = 2, wrong after the answer: cell 3 holds nothing, '0' would be right)"),
        ("0", (1, 2, 0, 1), 1, "01   (1 + 1 = 2, wrong after the answer: cell 2 holds nothing, '0' would be right)"),
        (None, (1, 2, 1, 1), 1, "0100   (1 + 1 = 2, wrong, 01 would be right)"),
        (None, (1, 2, 0, 3), 1, "01 +   (wrong, 01 would be right)"),
    ],
)
def test_a_verdict_says_what_differs(
    fill: str | None,
    symbols: tuple[int, ...],
    code: int,
    line: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    let_answer(monkeypatch, get_task("badd").on(Tape(extra=1, fill=fill)), *symbols)
    assert ngpu(capsys, "run", "it", "1+1") == (code, f"{line}\n", "")


def test_json_says_which_cell_is_wrong(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    let_answer(monkeypatch, get_task("badd").on(Tape(extra=1, fill="0")), 1, 2, 1, 0)
    code, out, _ = ngpu(capsys, "run", "it", "1+1", "--json")
    assert code == 1
    assert json.loads(out) == {
        "input": "1+1",
        "output": "01",
        "expected": "01",
        "correct": False,
        "first_wrong_cell": {"cell": 3, "got": None, "expected": "0"},
        "settled": None,
        "explanation": "1 + 1 = 2",
        "asked": "1+1",
        "answer": "01",
        "right_answer": "01",
    }


def test_an_answer_that_did_not_settle_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    let_answer(monkeypatch, get_task("copy"), 1, 2, settled=np.array([False]))
    told = "ngpu: this answer did not settle: the network still changed it in its last steps\n"
    assert ngpu(capsys, "run", "it", "01") == (0, "01   (correct)\n", told)
    _, out, err = ngpu(capsys, "run", "it", "01", "--json")
    assert (json.loads(out)["settled"], err) == (False, "")
    let_answer(monkeypatch, get_task("copy"), 1, 2, settled=np.array([True]))
    assert ngpu(capsys, "run", "it", "01") == (0, "01   (correct)\n", "")
    assert json.loads(ngpu(capsys, "run", "it", "01", "--json")[1])["settled"] is True


def test_a_task_that_is_not_known_here_is_answered_without_a_verdict(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    let_answer(monkeypatch, open_task("shuffle", "abc"), 3, 1, 2)
    assert ngpu(capsys, "run", "it", "abc") == (0, "cab\n", "")
    code, out, _ = ngpu(capsys, "run", "it", "abc", "--json")
    assert code == 0
    assert json.loads(out) == {
        "input": "abc",
        "output": "cab",
        "expected": None,
        "correct": None,
        "first_wrong_cell": None,
        "settled": None,
        "explanation": None,
        "asked": "abc",
        "answer": "cab",
        "right_answer": None,
    }
    assert "symbol 'd' at position 0 is not in the alphabet of shuffle: a b c" in error_of(capsys, "run", "it", "d")


def test_a_network_of_a_task_that_is_not_known_here_is_run_from_its_directory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    foreign = tmp_path / "foreign"
    shutil.copytree(zoo.HERE / "reverse", foreign)
    config = json.loads((foreign / "config.json").read_text())
    config["network"] |= {"task": "mirror", "alphabet": "ab"}
    (foreign / "config.json").write_text(json.dumps(config))
    sign(foreign)
    assert ngpu(capsys, "run", str(foreign), "aabab", "b") == (0, "babaa\nb\n", "")
    told = error_of(capsys, "evaluate", str(foreign))
    assert told.startswith("the task mirror is not known here, so it has no random inputs and no true answers")


def type_in(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))


def test_run_reads_lines_from_standard_input(
    tiny_run: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    type_in(monkeypatch, b"1010+0111\n0+1\n")
    _, out, _ = ngpu(capsys, "run", str(tiny_run), "--json")
    answers = [json.loads(line) for line in out.splitlines()]
    assert [answer["expected"] for answer in answers] == ["11001", "1"]
    assert all(answer["correct"] == (answer["first_wrong_cell"] is None) for answer in answers)


def test_run_names_the_line_of_a_bad_input(
    tiny_run: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    type_in(monkeypatch, b"0+1\n0+\n")
    code, out, err = ngpu(capsys, "run", str(tiny_run))
    assert code == 2
    assert out.count("\n") == 1
    assert "line 2: '0+' has no second number" in err


@pytest.mark.parametrize(
    ("text", "complaint"),
    [("", "the input is empty"), ("10+a", "not in the alphabet of badd: 0 1 +"), ("1010+", "no second number")],
)
def test_run_refuses_bad_input(tiny_run: Path, text: str, complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert complaint in error_of(capsys, "run", str(tiny_run), text)


def test_run_names_the_byte_that_is_not_utf8(
    tiny_run: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    type_in(monkeypatch, b"0+1\n0+\xff\n")
    code, out, err = ngpu(capsys, "run", str(tiny_run))
    assert (code, out.count("\n")) == (2, 1)
    assert err == "ngpu: error: line 2: byte 3 is 0xff, which is not UTF-8; give text in UTF-8\n"


def test_run_without_standard_input_says_so(
    tiny_run: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", None)
    assert error_of(capsys, "run", str(tiny_run)) == "there is no standard input; give inputs as arguments\n"


@pytest.mark.parametrize("text", ["2" * 100_000, "0" * 100_000, "0\n1" * 50_000, "\x00\x1b" * 50_000])
def test_an_error_about_a_long_input_is_a_short_line(
    text: str, tiny_run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = error_of(capsys, "run", str(tiny_run), text)
    assert len(said) < 287  # and 13 of `ngpu: error: `
    assert said[:-1].isprintable()


def test_run_without_any_input_says_what_it_takes(
    tiny_run: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    type_in(monkeypatch, b"")
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
    sign(copy)
    assert "does not fit" in error_of(capsys, "run", str(copy), "1+1")
