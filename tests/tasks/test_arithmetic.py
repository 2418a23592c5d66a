import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuralgpu.errors import UserError
from neuralgpu.tasks import PAD, TASKS, Mixture, get_task
from neuralgpu.tasks.arithmetic import Addition, Arithmetic, Multiplication, from_int, to_int

BASES = st.integers(2, 10)
ARITHMETIC = [task for task in TASKS.values() if isinstance(task, Arithmetic)]


@given(base=BASES, operation=st.sampled_from([Addition, Multiplication]), size=st.integers(1, 40), seed=st.integers(0))
def test_sampled_targets_are_the_results_of_python_integers(
    base: int, operation: type[Arithmetic], size: int, seed: int
) -> None:
    task = operation(base)
    inputs, targets = task.sample(np.random.default_rng(seed), 3, size)
    for tape, target in zip(inputs, targets, strict=True):
        text = task.decode(tape)
        x, y = (to_int(number, base) for number in text.split(task.sign))
        result = x + y if operation is Addition else x * y
        assert to_int(task.decode(target), base) == result
        assert task.decode(target) == task.answer(text)
        assert np.array_equal(task.encode(text)[0], tape)
        assert np.array_equal(task.encode_answer(text)[0], target)


@given(base=BASES, operation=st.sampled_from([Addition, Multiplication]), size=st.integers(2, 20), seed=st.integers(0))
def test_operands_of_unequal_lengths_fill_the_same_tape(
    base: int, operation: type[Arithmetic], size: int, seed: int
) -> None:
    task = operation(base)
    mixture = Mixture(any_lengths=1.0, patterned=0.5, any_density=0.2, runs=0.3)
    inputs, targets = task.sample(np.random.default_rng(seed), 20, size, mixture)
    assert inputs.shape == targets.shape == (20, task.length(size))
    for tape, target in zip(inputs, targets, strict=True):
        text = task.decode(tape)
        assert len(text) >= task.length(size) - 1
        x, y = (to_int(number, base) for number in text.split(task.sign))
        assert task.decode(target) == from_int(task.calculate(x, y), base)


def test_unequal_operands_have_any_number_of_digits() -> None:
    task = Multiplication(2)
    inputs, _ = task.sample(np.random.default_rng(0), 1000, 5, Mixture(any_lengths=1.0))
    splits = {tuple(map(len, task.decode(tape).split("*"))) for tape in inputs}
    assert splits == {(d, both - d) for both in (9, 10) for d in range(1, both)}


def test_a_share_of_the_operands_is_unequal() -> None:
    task = Addition(2)
    inputs, _ = task.sample(np.random.default_rng(0), 10_000, 20, Mixture(any_lengths=0.3))
    middle = (inputs[:, 20] == 3).mean()
    assert middle == pytest.approx(0.7 + 0.3 / 2 * (1 / 39), abs=0.02)


def test_pairs_of_runs_have_runs_in_both_operands() -> None:
    task = Multiplication(2)

    def nearly_all_ones(runs: float) -> float:
        inputs, _ = task.sample(np.random.default_rng(0), 10_000, 20, Mixture(runs=runs))
        return float((np.delete(inputs == 2, 20, axis=1).mean(axis=1) > 0.9).mean())

    assert nearly_all_ones(0.0) == 0
    assert nearly_all_ones(1.0) > 0.002


@given(base=BASES, value=st.integers(0, 10**30))
def test_digits_of_a_number_give_the_number_back(base: int, value: int) -> None:
    assert to_int(from_int(value, base), base) == value


@given(value=st.integers(0, 2**100))
def test_binary_digits_are_least_significant_first(value: int) -> None:
    assert from_int(value, 2) == f"{value:b}"[::-1]


def test_numbers_may_have_more_digits_than_python_prints() -> None:
    assert get_task("add").answer("9" * 5000 + "+" + "1" + "0" * 4999) == "0" * 5000 + "1"


def test_the_paper_s_sum() -> None:
    assert get_task("badd").answer("1010+0111") == "11001"


def test_the_paper_s_product_with_all_its_digits() -> None:
    # The paper's figure shows 00111 for 60 = 32+16+8+4, one digit short of its own text.
    assert get_task("bmul").answer("0110*0101") == "001111"


@pytest.mark.parametrize("name", ["badd", "bmul"])
def test_zero_is_a_single_digit_followed_by_pad(name: str) -> None:
    task = get_task(name)
    target = task.encode_answer(task.example().translate(str.maketrans("1", "0")))[0]
    assert target[0] == 1
    assert (target[1:] == PAD).all()


@pytest.mark.parametrize("task", ARITHMETIC, ids=lambda task: task.name)
def test_a_tape_has_room_for_both_operands_and_the_sign(task: Arithmetic) -> None:
    assert task.sample(np.random.default_rng(0), 7, 20).inputs.shape == (7, 41)
    assert task.largest_size(41) == 20


def test_operands_are_uniform_with_zeros_at_the_end_allowed() -> None:
    inputs, _ = get_task("badd").sample(np.random.default_rng(0), 20_000, 5)
    share = (inputs == 2).mean(axis=0)  # of the digit 1
    assert np.allclose(share[[0, 1, 2, 3, 4, 6, 7, 8, 9, 10]], 0.5, atol=0.02)
    assert share[5] == 0


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "empty"),
        ("12+01", "'2' at position 1 is not in the alphabet of badd"),
        ("1010", "0 signs"),
        ("1+1+1", "2 signs"),
        ("1010+01", "operand lengths differ: 4 and 2 bits"),
        ("+", "has no number; badd takes text like '0110+0101'"),
        ("110+", "'110+' has no second number"),
        ("+110", "'+110' has no first number"),
    ],
)
def test_a_bad_input_is_told_what_is_wrong(text: str, complaint: str) -> None:
    with pytest.raises(UserError, match=complaint.replace("+", r"\+")):
        get_task("badd").encode(text)


def test_explanation_is_in_decimal() -> None:
    assert get_task("badd").explain("1010+0111", "11001") == "5 + 14 = 19"


@pytest.mark.parametrize("answer", ["1 1", "1+1", ""])
def test_an_answer_that_is_no_number_has_no_explanation(answer: str) -> None:
    assert get_task("badd").explain("1010+0111", answer) is None
