"""A task made of a file: what is trained on, what is held out, and what is said about it."""

from pathlib import Path

import numpy as np
import pytest

from files import numbered, swapped, write_pairs
from neuralgpu.errors import UserError
from neuralgpu.evaluation.sizes import checked_sizes, usual_sizes
from neuralgpu.tasks import Tape
from neuralgpu.tasks.pairs import PairsTask, open_pairs

CELLS = 41


def opened(path: Path) -> PairsTask:
    return open_pairs(path, CELLS)


def test_what_was_read_is_said(tmp_path: Path) -> None:
    path = write_pairs(tmp_path / "swap.tsv")
    path.write_text(path.read_text() + path.read_text().partition("\n")[0] + "\n")
    assert opened(path).summary() == [
        f"{path}: 240 pairs, 1 repeated lines",
        "alphabet: 3 symbols, a b c",
        "inputs: 4 to 7 symbols; answers: 4 to 7",
        "tape: cells = input",
        "trained on: 180 pairs of 4 to 6 symbols",
        "held out: 60 pairs of 7 symbols, never trained on; 30 for exams, 30 for the report",
    ]


def test_inputs_that_are_too_long_to_train_on_are_held_out(tmp_path: Path) -> None:
    task = opened(write_pairs(tmp_path / "a.tsv", sizes=(5, 9, 41, 42, 60)))
    assert (task.trained_sizes, task.held_out_sizes) == ([5, 9, 41], [42, 60])
    task = opened(write_pairs(tmp_path / "twice.tsv", sizes=(5, 9, 20, 21), twice=True))
    assert task.tape == Tape(per_symbol=2)
    assert task.held_out_sizes == [21]  # 42 cells


def test_else_the_longest_are_a_twentieth_of_the_pairs(tmp_path: Path) -> None:
    task = opened(write_pairs(tmp_path / "a.tsv", sizes=tuple(range(4, 41)), each=50))
    assert task.held_out_sizes == [39, 40]


def test_a_single_long_line_is_too_little_to_hold_out(tmp_path: Path) -> None:
    path = write_pairs(tmp_path / "a.tsv", sizes=(5, 9, 20))
    path.write_text(path.read_text() + f"{'a' * 50}\t{'b' * 50}\n")
    assert opened(path).held_out_sizes == [20, 50]


def test_the_half_for_exams_and_the_half_for_the_report_share_nothing_and_are_always_the_same(tmp_path: Path) -> None:
    path = write_pairs(tmp_path / "a.tsv")
    exam, kept = opened(path).held_out(), opened(path).kept(7)
    assert kept is not None
    assert kept.kind == "held out"
    assert not set(exam) & set(kept.pairs)
    assert len(exam) + len(kept.pairs) == 60
    path.write_text("".join(reversed(path.read_text().splitlines(keepends=True))))
    assert set(opened(path).held_out()) == set(exam)


def test_what_is_drawn_was_never_held_out_and_is_answered_as_in_the_file(tmp_path: Path) -> None:
    task = opened(write_pairs(tmp_path / "a.tsv"))
    assert [task.nearest_size(size) for size in (1, 4, 6, 7, 99)] == [4, 4, 6, 6, 6]
    assert task.largest_size(CELLS) == task.largest_size(10**6) == 6
    for size in (2, 5, 7, 50):
        inputs, targets = task.sample(np.random.default_rng(size), 20, size)
        assert inputs.shape[1] <= 6
        for tape, target in zip(inputs, targets, strict=True):
            assert task.decode(target) == swapped(task.decode(tape)) == task.answer(task.decode(tape))


def test_an_input_that_is_not_in_the_file_has_no_answer(tmp_path: Path) -> None:
    task = opened(write_pairs(tmp_path / "a.tsv"))
    assert task.answer("cccccccccccc") is None
    assert task.answer(task.example()) == swapped(task.example())


def test_a_report_has_the_largest_trained_size_and_those_held_out(tmp_path: Path) -> None:
    task = opened(write_pairs(tmp_path / "a.tsv", sizes=(5, 9, *range(50, 70))))
    assert usual_sizes(task) == [9, 50, 54, 58, 61, 65, 69]
    assert checked_sizes(task, [50, 5]) == [5, 50]
    with pytest.raises(UserError, match=r"the file of a has no inputs of size 8 for a report; take \[9, 50"):
        checked_sizes(task, 8)


def test_a_task_is_called_like_its_file_unless_the_name_is_taken(tmp_path: Path) -> None:
    path = write_pairs(tmp_path / "my pairs.tsv")
    assert opened(path).name == "my-pairs"
    assert open_pairs(path, CELLS, taken=frozenset({"my-pairs"})).name == "my-pairs-pairs"


def lines(sizes: dict[int, int]) -> str:
    texts = (numbered(5 * number + 1, size) for size, count in sizes.items() for number in range(count))
    return "".join(f"{text}\t{swapped(text)}\n" for text in texts)


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        ({6: 200}, "all inputs have 6 symbols; give several lengths, since the longest are held out"),
        ({50: 20, 60: 20}, "line 1 has the shortest input, and it takes 50 cells; training takes at most 41"),
        ({6: 90, 7: 4, 8: 90, 9: 30}, "line 91: there are 4 inputs of 7 symbols; give at least 10 of each length"),
        ({6: 60, 7: 60}, "60 examples are left to train on, of 6 to 6 symbols; give at least 100"),
    ],
)
def test_a_file_that_cannot_be_learned_from_is_refused(sizes: dict[int, int], said: str, tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text(lines(sizes))
    with pytest.raises(UserError) as refused:
        opened(path)
    assert str(refused.value).startswith(f"{path}: {said}")


def test_short_sizes_may_have_few_inputs_because_there_are_no_more(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text(lines({1: 3, 2: 9, 6: 100, 7: 30}))
    assert opened(path).trained_sizes == [1, 2, 6]
