from collections.abc import Iterable

import pytest

from neuralgpu.errors import UserError
from neuralgpu.evaluation.sizes import MOST_CELLS, checked_sizes, training_size, usual_sizes
from neuralgpu.tasks import TASKS, Tape, Task, get_task


@pytest.mark.parametrize("task", TASKS.values(), ids=lambda task: task.name)
def test_the_usual_sizes_begin_with_the_largest_in_training(task: Task) -> None:
    assert usual_sizes(task)[0] == training_size(task)
    assert task.extent(training_size(task)) <= 41 < task.extent(training_size(task) + 2)


@pytest.mark.parametrize(("name", "size"), [("badd", 20), ("duplicate", 20), ("sort", 41), ("brackets", 40)])
def test_the_largest_size_in_training_takes_41_cells_at_most(name: str, size: int) -> None:
    assert training_size(get_task(name)) == size


def test_the_usual_sizes_do_not_follow_a_recipe_s_tape() -> None:
    task = get_task("bmul")
    assert usual_sizes(task.on(task.tape_with(31, 0.5, True))) == usual_sizes(task) == [20, 25, 40, 100, 200]


@pytest.mark.parametrize("sizes", [[25, 20, 25], (20, 25), {25, 20}, iter([25, 20])])
def test_sizes_come_once_and_in_order(sizes: Iterable[int]) -> None:
    assert checked_sizes(get_task("badd"), sizes) == [20, 25]
    assert checked_sizes(get_task("badd"), 20) == [20]


@pytest.mark.parametrize(
    ("sizes", "complaint"),
    [
        ([], "no sizes are given"),
        (0, "size 0 is too small; it must be at least 1"),
        ([20, -3], "size -3 is too small; it must be at least 1"),
        (10**12, "size 1000000000000 is too large; it must be at most 4,999,999 bits"),
    ],
)
def test_impossible_sizes_are_refused(sizes: int | list[int], complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        checked_sizes(get_task("badd"), sizes)


def test_the_bound_on_sizes_is_the_last_one_that_is_allowed() -> None:
    task = get_task("copy").on(Tape(extra=9))
    assert checked_sizes(task, MOST_CELLS) == [MOST_CELLS]
    with pytest.raises(UserError, match="at most 10,000,000 symbols"):
        checked_sizes(task, MOST_CELLS + 1)
