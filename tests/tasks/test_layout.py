import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuralgpu.tasks import PAD, TASKS, Layout, get_task

NAMES = st.sampled_from(sorted(TASKS))
LAYOUTS = st.builds(Layout, slack=st.integers(0, 5), stretch=st.floats(0, 1), zero_fill=st.booleans())


@given(name=NAMES, layout=LAYOUTS, size=st.integers(1, 20), seed=st.integers(0))
def test_sampled_tapes_are_those_of_the_text(name: str, layout: Layout, size: int, seed: int) -> None:
    task = get_task(name).with_layout(layout)
    inputs, targets = task.sample(np.random.default_rng(seed), 2, size)
    extent = task.extent(size)
    assert inputs.shape == targets.shape == (2, extent + layout.slack + int(extent * layout.stretch))
    for tape, target in zip(inputs, targets, strict=True):
        text = task.decode(tape)
        assert np.array_equal(task.encode(text)[0], tape)
        assert np.array_equal(task.encode_answer(text)[0], target)
        assert task.read(target) == task.answer(text)


def test_a_layout_leaves_the_task_it_was_made_from() -> None:
    get_task("badd").with_layout(Layout(slack=4))
    assert get_task("badd").length(20) == 41


def test_slack_is_empty_on_the_input_and_zero_in_a_filled_answer() -> None:
    task = get_task("badd").with_layout(Layout(slack=2, zero_fill=True))
    assert task.encode("1+1").tolist() == [[2, 3, 2, PAD, PAD]]
    assert task.encode_answer("1+1").tolist() == [[1, 2, 1, 1, 1]]


def test_a_stretched_tape_has_more_empty_cells_the_longer_it_is() -> None:
    task = get_task("badd").with_layout(Layout(slack=2, stretch=0.5))
    assert [task.length(size) for size in (1, 2, 100)] == [3 + 2 + 1, 5 + 2 + 2, 201 + 2 + 100]


def test_slack_does_not_count_towards_the_training_length() -> None:
    assert get_task("badd").with_layout(Layout(slack=4)).largest_size(41) == 20


@pytest.mark.parametrize(("tape", "text"), [([1, 2, 1, 1], "01"), ([1, 1, 1], "0"), ([2, PAD, 2, 1], "1 1")])
def test_zeros_that_fill_the_tape_are_not_read(tape: list[int], text: str) -> None:
    assert get_task("badd").with_layout(Layout(zero_fill=True)).read(np.array(tape)) == text
