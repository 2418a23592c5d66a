"""Inputs as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuralgpu.errors import UserError
from neuralgpu.tasks import get_task
from neuralgpu.tasks.spoken import Notation, understand

NUMBERS = st.integers(min_value=0, max_value=10**40)
ARITHMETIC = st.sampled_from(["badd", "bmul", "qadd", "add3", "mul7", "add", "mul"])


@given(ARITHMETIC, NUMBERS, NUMBERS)
def test_a_question_in_decimal_has_its_answer_in_decimal(name: str, x: int, y: int) -> None:
    task = get_task(name)
    question = understand(task, f"{x} {task.alphabet[-1]} {y}", "decimal")
    answer = task.answer(question.text)
    assert answer is not None
    assert question.in_its_notation(answer) == str(x * y if task.alphabet[-1] == "*" else x + y)


@given(NUMBERS, NUMBERS)
def test_a_big_endian_question_has_a_big_endian_answer(x: int, y: int) -> None:
    task = get_task("bmul")
    question = understand(task, f"{x:b}*{y:b}", "big-endian")
    answer = task.answer(question.text)
    assert answer is not None
    assert question.in_its_notation(answer) == f"{x * y:b}"


@pytest.mark.parametrize(
    ("name", "given_text", "notation", "text"),
    [
        ("bmul", "0110*0101", None, "0110*0101"),
        ("bmul", "6*10", None, "0110*0101"),
        ("bmul", "10*11", None, "10*11"),
        ("bmul", "10*11", "decimal", "0101*1101"),
        ("bmul", "11*1", None, "11*10"),
        ("bmul", " 0 1 * 1\t1 ", None, "01*11"),
        ("qadd", "13+3", None, "13+30"),
        ("qadd", "14+3", None, "23+30"),
        ("add", "12+9", None, "12+90"),
        ("add", "12+9", "decimal", "21+90"),
        ("copy", "0 1 1", None, "011"),
    ],
)
def test_an_input_is_read(name: str, given_text: str, notation: Notation | None, text: str) -> None:
    assert understand(get_task(name), given_text, notation).text == text


@pytest.mark.parametrize(
    ("name", "given_text", "note"),
    [
        ("bmul", "0110*0101", None),
        ("bmul", "6*10", "read as 0110*0101, two numbers of 4 bits, least significant digit first"),
        ("bmul", "11*1", "read as 11*10, two numbers of 2 bits"),
        ("copy", "0 1", "read as 01"),
        ("copy", "01", None),
    ],
)
def test_what_was_made_of_an_input_is_said(name: str, given_text: str, note: str | None) -> None:
    assert understand(get_task(name), given_text).note == note


def test_an_output_that_is_no_number_stays_as_it_is() -> None:
    assert understand(get_task("bmul"), "6*10").in_its_notation("01 +1") == "01 +1"
    assert understand(get_task("bmul"), "6*10").in_its_notation("") == ""


@pytest.mark.parametrize(
    ("name", "given_text", "notation", "complaint"),
    [
        ("bmul", "110*", None, "'110\\*' has no second number"),
        ("bmul", "*6", None, "'\\*6' has no first number"),
        ("bmul", "6*10*2", None, "has 2 signs"),
        (
            "bmul",
            "6*1a",
            None,
            "symbol 'a' at position 3 is not in the alphabet of bmul",
        ),
        ("bmul", "6*1", "big-endian", "symbol '6' at position 0"),
        ("bmul", "", None, "the input is empty"),
        ("copy", "012", None, "symbol '2' at position 2"),
        ("copy", "01", "decimal", "decimal is a way to write numbers; copy takes symbols: 0 1"),
    ],
)
def test_what_nothing_can_be_made_of_is_refused(
    name: str, given_text: str, notation: Notation | None, complaint: str
) -> None:
    with pytest.raises(UserError, match=complaint):
        understand(get_task(name), given_text, notation)
