"""The library: answers against other ways to find them, and inputs that are worth learning from."""

import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuralgpu.errors import UserError
from neuralgpu.tasks import FAMILIES, TASKS, get_task
from neuralgpu.tasks.library import LIBRARY

BITS = st.text("01", min_size=1, max_size=40)
LETTERS = st.text("abcd", min_size=1, max_size=40)


def number(bits: str) -> int:
    return sum(2**place for place, bit in enumerate(bits) if bit == "1")


def answer(name: str, text: str) -> str:
    found = get_task(name).answer(text)
    assert found is not None
    return found


def test_the_paper_s_tasks_come_first_then_other_bases_then_the_library() -> None:
    assert list(FAMILIES)[:2] == ["the paper's", "other bases"]
    assert list(FAMILIES)[2:] == list(LIBRARY)
    assert sum(map(len, FAMILIES.values())) == len(TASKS)


# Answers


@given(BITS)
def test_counts(text: str) -> None:
    ones = sum(map(int, text))
    assert answer("parity", text) == str(ones % 2)
    assert answer("majority", text) == ("1" if ones > len(text) - ones else "0")
    assert number(answer("ones", text)) == ones


@given(BITS)
def test_one_number(text: str) -> None:
    value = number(text)
    assert number(answer("increment", text)) == value + 1
    assert answer("mod3", text) == str(value % 3)
    assert answer("mod7", text) == str(value % 7)
    assert number(answer("gray", text)) == value ^ value >> 1
    assert answer("ungray", answer("gray", text)) == text


@given(st.integers(1, 20).flatmap(lambda d: st.tuples(*[st.text("01", min_size=d, max_size=d)] * 2)))
def test_two_numbers(pair: tuple[str, str]) -> None:
    x, y = map(number, pair)
    assert answer("compare", "?".join(pair)) == ("<" if x < y else "=" if x == y else ">")
    assert number(answer("maximum", ",".join(pair))) == max(x, y)
    larger, smaller = sorted(pair, key=number, reverse=True)
    assert number(answer("subtract", f"{larger}-{smaller}")) == abs(x - y)


def test_a_negative_difference_is_no_input() -> None:
    with pytest.raises(UserError, match="'01-11' has a negative difference; write the larger number first"):
        get_task("subtract").size("01-11")
    with pytest.raises(UserError, match="'<1\\?11' has other symbols than 01 in a number"):
        get_task("compare").size("<1?11")


@given(st.lists(st.sampled_from("()[]{}"), min_size=1, max_size=10))
def test_brackets_are_balanced_when_nothing_is_left_of_them(half: list[str]) -> None:
    for text in ("".join(half * 2), "".join(half) + "".join(half)[::-1].translate(str.maketrans("([{)]}", ")]}([{"))):
        left, before = text, ""
        while left != before:
            left, before = re.sub(r"\(\)|\[\]|\{\}", "", left), left
        assert answer("brackets", text) == str(int(not left))


@given(BITS)
def test_palindromes(text: str) -> None:
    assert answer("palindrome", text) == str(int(list(text) == list(reversed(text))))


@given(LETTERS)
def test_rearrangements(text: str) -> None:
    assert answer("rotate", text)[-1] + answer("rotate", text)[:-1] == text
    assert answer("sort4", text) == "".join(symbol * text.count(symbol) for symbol in "abcd")
    mixed = answer("interleave", text)
    assert mixed[::2] + mixed[1::2] == text


@given(st.text("ab_", min_size=1, max_size=40))
def test_words_backwards(text: str) -> None:
    turned = answer("reverse_words", text)
    assert answer("reverse_words", turned) == text
    assert Counter(turned.split("_")) == Counter(text.split("_"))


@given(st.text("abc", min_size=1, max_size=40))
def test_repetitions(text: str) -> None:
    assert answer("collapse", text) == re.sub(r"(.)\1+", r"\1", text)


@given(st.sampled_from("abcdefgh"), st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from("0123"), min_size=1))
def test_lookup(key: str, pairs: dict[str, str]) -> None:
    text = "".join(k + value for k, value in pairs.items())
    assert answer("lookup", key + text) == pairs.get(key, "-")
    assert answer("lookup", key + text + key + "2") == "2"


@given(st.text("01", min_size=1, max_size=20))
def test_rule_110_cell_by_cell(text: str) -> None:
    cells = [0, *map(int, text), 0]
    for _ in text:
        inner = [110 >> (4 * cells[k - 1] + 2 * cells[k] + cells[k + 1]) & 1 for k in range(1, len(cells) - 1)]
        cells = [0, *inner, 0]
    assert answer("rule110", text) == "".join(map(str, cells[1:-1]))


# Inputs


def share(name: str, wanted: str, size: int = 20, count: int = 400) -> float:
    """The share of random inputs that have this answer."""
    task, rng = get_task(name), np.random.default_rng(0)
    return sum(task.answer(task.random(rng, size)) == wanted for _ in range(count)) / count


@pytest.mark.parametrize("name", ["parity", "majority", "palindrome", "brackets"])
@pytest.mark.parametrize("size", [8, 20, 40])
def test_about_half_of_the_answers_are_yes(name: str, size: int) -> None:
    assert 0.35 < share(name, "1", size) < 0.65


def test_comparisons_have_every_result() -> None:
    assert share("compare", "<") > 0.3
    assert share("compare", ">") > 0.3
    assert 0.02 < share("compare", "=") < 0.2


def test_remainders_and_lookups_have_every_result() -> None:
    assert min(share("mod7", str(digit)) for digit in range(7)) > 0.05
    assert 0.1 < share("lookup", "-", 21) < 0.25


def test_carries_run_far() -> None:
    task, rng = get_task("increment"), np.random.default_rng(0)
    texts = [task.random(rng, 20) for _ in range(400)]
    runs = [len(text) - len(text.lstrip("1")) for text in texts]
    assert sum(run >= 10 for run in runs) > 80
    assert sum(run <= 2 for run in runs) > 80


def test_numbers_often_agree_in_their_high_digits() -> None:
    task, rng = get_task("compare"), np.random.default_rng(0)
    pairs = [task.random(rng, 20).split("?") for _ in range(400)]
    assert sum(x[10:] == y[10:] for x, y in pairs) > 80
    assert sum(x[-1] != y[-1] for x, y in pairs) > 80


@pytest.mark.parametrize("name", sorted(task.name for family in LIBRARY.values() for task in family))
def test_densities_vary(name: str) -> None:
    task, rng = get_task(name), np.random.default_rng(0)
    counts = [max(Counter(task.random(rng, 21)).values()) for _ in range(200)]
    assert max(counts) - min(counts) >= 5
