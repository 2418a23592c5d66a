import numpy as np
import pytest

from neuralgpu.models.sum_text import SumText
from neuralgpu.tasks import get_task
from neuralgpu.tasks.arithmetic import to_int
from neuralgpu.training.sums import draw_sums


def texts(base: int, count: int = 300, least: int = 0, below: int = 12) -> list[tuple[str, str]]:
    """Questions and answers as text, as `firsts` and `lengths` divide them."""
    symbols, lengths, firsts = draw_sums(np.random.default_rng(0), SumText(base + 2), count, least, below)
    spelled = ["".join((".0123456789"[: base + 1] + "+=")[symbol] for symbol in row) for row in symbols]
    return [(row[:first], row[first:length]) for row, first, length in zip(spelled, firsts, lengths, strict=True)]


@pytest.mark.parametrize("base", [2, 4, 10])
def test_every_sum_is_right_and_has_its_lowest_digit_first(base: int) -> None:
    for question, answer in texts(base):
        x, y = question.removesuffix("=").split("+")
        assert answer.endswith(".")
        assert to_int(answer[:-1], base) == int(x, base) + int(y, base)
        assert answer[:-1] == "0" or answer[-2] != "0"


def test_the_digits_of_both_operands_together_stay_in_their_range() -> None:
    sizes = [sum(len(number.lstrip("0")) for number in question[:-1].split("+")) for question, _ in texts(2)]
    assert set(sizes) == set(range(12))
    longer = [len(question) - 2 for question, _ in texts(2, least=8)]
    assert min(longer) >= 8
    assert max(longer) == 12  # eleven digits and an operand without any, which is written 0


def test_operands_begin_with_a_digit_that_is_not_zero() -> None:
    for question, _ in texts(10):
        for number in question[:-1].split("+"):
            assert number == "0" or number[0] != "0"


def test_what_is_drawn_is_what_a_tape_would_be_read_as() -> None:
    text = SumText(4)
    symbols, lengths, firsts = draw_sums(np.random.default_rng(1), text, 50, 2, 12)
    task = get_task("badd")
    for row, length, first in zip(symbols, lengths, firsts, strict=True):
        spelled = "".join(".01+="[symbol] for symbol in row[:length])
        x, y = spelled[: first - 1].split("+")
        most = max(len(x), len(y))
        tape = task.encode("+".join(number[::-1].ljust(most, "0") for number in (x, y)))
        (question,), _ = text.questions(tape)
        assert question.tolist() == row[:first].tolist()
        assert task.answer(task.decode(tape[0])) == spelled[first : length - 1]
