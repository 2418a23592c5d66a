import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuralgpu.errors import UserError
from neuralgpu.tasks import PAD, get_task
from neuralgpu.tasks.task import Task

NAMES = ["copy", "reverse", "duplicate", "sort"]
ANSWERS = {
    "copy": lambda bits: bits,
    "reverse": lambda bits: bits[::-1],
    "duplicate": lambda bits: bits + bits,
    "sort": lambda bits: "0" * bits.count("0") + "1" * bits.count("1"),
}


@given(name=st.sampled_from(NAMES), bits=st.text("01", min_size=1, max_size=60))
def test_answers_follow_their_definition(name: str, bits: str) -> None:
    assert get_task(name).answer(bits) == ANSWERS[name](bits)


@given(name=st.sampled_from(NAMES), size=st.integers(1, 50), seed=st.integers(0))
def test_sampled_targets_are_the_answers(name: str, size: int, seed: int) -> None:
    task = get_task(name)
    inputs, targets = task.sample(np.random.default_rng(seed), 3, size)
    for tape, target in zip(inputs, targets, strict=True):
        text = task.decode(tape)
        assert np.array_equal(target, task.encode_answer(text)[0])
        assert np.array_equal(tape, task.encode(text)[0])


def test_duplicate_pads_its_input_to_the_length_of_the_answer() -> None:
    task = get_task("duplicate")
    assert task.encode("0011").tolist() == [[1, 1, 2, 2, PAD, PAD, PAD, PAD]]
    assert task.largest_size(41) == 20


@pytest.mark.parametrize("name", NAMES)
def test_the_same_generator_gives_the_same_inputs(name: str) -> None:
    task: Task = get_task(name)
    first, second = (task.sample(np.random.default_rng(5), 4, 9) for _ in range(2))
    assert np.array_equal(first.inputs, second.inputs)


@pytest.mark.parametrize("name", NAMES)
def test_a_foreign_symbol_is_named_with_its_place(name: str) -> None:
    with pytest.raises(UserError, match=rf"'x' at position 2 is not in the alphabet of {name}: 0 1"):
        get_task(name).encode("01x1")


def test_an_empty_cell_inside_an_output_reads_as_a_space() -> None:
    assert get_task("copy").decode(np.array([1, PAD, 2, PAD])) == "0 1"
