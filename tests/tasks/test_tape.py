import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuralgpu.errors import UserError
from neuralgpu.tasks import PAD, TASKS, Tape, get_task, pad

NAMES = st.sampled_from(sorted(TASKS))
SLACKS = st.integers(0, 5)
STRETCHES = st.floats(0, 1)


@given(
    name=NAMES, slack=SLACKS, stretch=STRETCHES, zero_fill=st.booleans(), size=st.integers(1, 20), seed=st.integers(0)
)
def test_sampled_tapes_are_those_of_the_text(
    name: str, slack: int, stretch: float, zero_fill: bool, size: int, seed: int
) -> None:
    plain = get_task(name)
    size = plain.nearest_size(size)
    task = plain.on(plain.tape_with(slack, stretch, zero_fill))
    inputs, targets = task.sample(np.random.default_rng(seed), 2, size)
    own = plain.tape
    cells = math.ceil(own.per_symbol * (1 + stretch) * plain.input_symbols(size)) + own.extra + slack
    assert inputs.shape == targets.shape == (2, cells)
    for tape, target in zip(inputs, targets, strict=True):
        text = task.decode(tape)
        assert np.array_equal(task.encode(text)[0], tape)
        assert np.array_equal(task.encode_answer(text)[0], target)
        assert task.read(target) == task.answer(text)


@given(size=st.integers(1, 3000))
def test_half_a_cell_more_for_each_gives_multiplication_the_cells_that_its_networks_were_trained_for(size: int) -> None:
    task = get_task("bmul")
    extent = 2 * size + 1
    assert task.on(task.tape_with(31, 0.5, True)).length(size) == extent + 32 + int(extent * 0.5)


def test_a_task_on_another_tape_leaves_the_one_it_was_made_from() -> None:
    get_task("badd").on(Tape(extra=4))
    assert get_task("badd").length(20) == 41


def test_slack_is_counted_from_the_task_s_own_tape_and_not_from_the_one_it_is_on() -> None:
    task = get_task("duplicate")
    assert task.tape == Tape(per_symbol=2)
    assert task.on(Tape(per_symbol=3, extra=4)).tape_with(1, 0.5, True) == Tape(per_symbol=3, extra=1)


def test_slack_is_empty_on_the_input_and_zero_in_a_filled_answer() -> None:
    task = get_task("badd").on(Tape(extra=2, fill="0"))
    assert task.encode("1+1").tolist() == [[2, 3, 2, PAD, PAD]]
    assert task.encode_answer("1+1").tolist() == [[1, 2, 1, 1, 1]]


def test_arithmetic_alone_fills_with_zeros() -> None:
    tapes = {name: task.tape_with(0, 0.0, zero_fill=True).fill for name, task in TASKS.items()}
    assert {name for name, fill in tapes.items() if fill == "0"} == {"badd", "bmul", "qadd", "qmul", "add", "mul"}
    assert {fill for fill in tapes.values() if fill != "0"} == {None}


def test_slack_does_not_count_towards_the_training_length() -> None:
    assert get_task("badd").on(Tape(extra=4)).largest_size(41) == 20


@given(name=NAMES, cells=st.integers(0, 100_000))
def test_the_largest_size_is_the_last_one_that_fits(name: str, cells: int) -> None:
    task = get_task(name)
    size = task.largest_size(cells)
    assert size == 0 or (task.extent(size) <= cells and task.nearest_size(size) == size)
    assert all(task.extent(larger) > cells or task.nearest_size(larger) == size for larger in (size + 1, size + 2))


def test_the_largest_size_of_a_very_long_tape_is_found_at_once() -> None:
    assert get_task("badd").largest_size(10**15 + 1) == 10**15 // 2


@pytest.mark.parametrize(("tape", "text"), [([1, 2, 1, 1], "01"), ([1, 1, 1], "0"), ([2, PAD, 2, 1], "1 1")])
def test_zeros_that_fill_the_tape_are_not_read(tape: list[int], text: str) -> None:
    assert get_task("badd").on(Tape(fill="0")).read(np.array(tape)) == text


def test_a_sample_may_stand_on_tapes_of_a_given_number_of_cells() -> None:
    task = get_task("badd").on(Tape(extra=9, fill="0"))
    (long, targets), (short, _) = (task.sample(np.random.default_rng(3), 5, 4, cells=cells) for cells in (12, 9))
    assert long.shape == targets.shape == (5, 12)
    assert np.array_equal(long, pad(short, 12))
    assert targets.min() > PAD


@pytest.mark.parametrize(
    ("tape", "complaint"),
    [
        ({"per_symbol": 0.9}, r"per_symbol is 0\.9; it must be at least 1"),
        ({"per_symbol": 1000.5}, "per_symbol is 1000.5; it must be at least 1, .* and at most 1000"),
        ({"per_symbol": math.nan}, "per_symbol is nan"),
        ({"per_symbol": math.inf}, "per_symbol is inf"),
        ({"extra": -1}, "extra is -1; it must be from 0 to 100000"),
    ],
)
def test_a_tape_that_cannot_hold_its_input_is_refused(tape: dict[str, float], complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        Tape(**tape)  # type: ignore[arg-type]


@pytest.mark.parametrize("fill", ["2", "", "01"])
def test_a_tape_is_filled_with_a_symbol_of_the_task(fill: str) -> None:
    with pytest.raises(UserError, match=rf"fill is '{fill}'; it must be a symbol of copy: 0 1"):
        get_task("copy").on(Tape(fill=fill))
