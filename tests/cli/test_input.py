"""What `ngpu run` and `ngpu animate` make of inputs."""

import io
import json
from pathlib import Path

import pytest

from command import error_of, ngpu


def test_a_question_in_decimal_is_answered_in_decimal(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = ngpu(capsys, "run", "bmul", "6 * 10")
    assert (code, out) == (0, "60   (6 * 10 = 60, correct)\n")
    assert err == "6 * 10: read as 0110*0101, two numbers of 4 bits, least significant digit first\n"


def test_decimal_numbers_have_any_number_of_digits(capsys: pytest.CaptureFixture[str]) -> None:
    x, y = 3**60, 7**35
    assert ngpu(capsys, "run", "bmul", f"{x}*{y}")[:2] == (0, f"{x * y}   (correct)\n")


def test_big_endian_and_operands_of_different_lengths(capsys: pytest.CaptureFixture[str]) -> None:
    assert ngpu(capsys, "run", "bmul", "--big-endian", "110*1010")[:2] == (0, "111100   (6 * 10 = 60, correct)\n")
    assert ngpu(capsys, "run", "badd", "011+1")[1] == "111   (6 + 1 = 7, correct)\n"


def test_json_has_the_question_and_the_answer_in_both_notations(capsys: pytest.CaptureFixture[str]) -> None:
    said = json.loads(ngpu(capsys, "run", "bmul", "6*10", "--json")[1])
    assert (said["asked"], said["input"], said["answer"], said["output"]) == ("6*10", "0110*0101", "60", "001111")


def test_two_notations_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert "--decimal does not go with --big-endian" in error_of(
        capsys, "run", "bmul", "1*1", "--decimal", "--big-endian"
    )


def test_a_bad_input_stops_before_any_work_is_done(capsys: pytest.CaptureFixture[str]) -> None:
    assert "'110*' has no second number" in error_of(capsys, "run", "bmul", "6*10", "110*")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_at_a_terminal_there_is_a_prompt_that_survives_mistakes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", Terminal("6*10\n\n6*x\n1*1\n"))
    code, out, err = ngpu(capsys, "run", "bmul")
    assert (code, out) == (0, "60   (6 * 10 = 60, correct)\n1   (1 * 1 = 1, correct)\n")
    assert err.startswith("bmul takes text like '0110*0101'; Ctrl-D ends\nbmul> ")
    assert "symbol 'x' at position 2 is not in the alphabet of bmul: 0 1 *" in err


def test_a_film_takes_the_same_inputs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = ngpu(capsys, "animate", "bmul", "2*3", "-o", "film.png")
    assert (code, out.partition(":")[0]) == (0, "film.png")
    assert err == "2*3: read as 01*11, two numbers of 2 bits, least significant digit first\n"
