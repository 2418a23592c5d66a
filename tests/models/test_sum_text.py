import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuralgpu.models.sum_text import SumText
from neuralgpu.tasks import get_task


def spelled(symbols: list[int], base: int) -> str:
    return "".join((".0123456789"[: base + 1] + "+=")[symbol] for symbol in symbols)


def question(task: str, text: str) -> str:
    known = get_task(task)
    sums = SumText(known.symbols)
    (row,), (length,) = sums.questions(known.encode(text))
    return spelled(row[:length].tolist(), sums.base)


@pytest.mark.parametrize(
    ("task", "tape", "text"),
    [
        ("badd", "0110+0101", "110+1010="),
        ("badd", "0+0", "0+0="),
        ("badd", "1000+0000", "1+0="),
        ("qadd", "310+233", "13+332="),
        ("add", "120+999", "21+999="),
    ],
)
def test_a_tape_becomes_the_authors_text_with_the_highest_digits_first(task: str, tape: str, text: str) -> None:
    assert question(task, tape) == text


@given(x=st.text("01", min_size=1, max_size=20), data=st.data())
def test_operands_keep_their_values_and_lose_their_zeros(x: str, data: st.DataObject) -> None:
    y = data.draw(st.text("01", min_size=len(x), max_size=len(x)))
    assert question("badd", f"{x}+{y}") == f"{int(x[::-1], 2):b}+{int(y[::-1], 2):b}="


def test_texts_of_several_tapes_stand_in_rows_filled_with_stops() -> None:
    task = get_task("badd")
    tapes = np.concatenate([task.encode("10+00"), task.encode("11+01")])
    rows, lengths = SumText(task.symbols).questions(tapes)
    assert lengths.tolist() == [4, 6]
    assert [spelled(row.tolist(), 2) for row in rows] == ["1+0=..", "11+10="]


def test_what_is_no_sum_is_read_as_it_stands() -> None:
    rows, lengths = SumText(4).questions(np.array([[1, 2, 0]]))
    assert spelled(rows[0, : lengths[0]].tolist(), 2) == "10="
