"""The curriculum: which minibatches are drawn, which of them a block counts, and when it moves on."""

from dataclasses import replace

import numpy as np
import pytest

from neuralgpu.tasks import get_task
from neuralgpu.training.curriculum import Block, Curriculum, CurriculumState
from neuralgpu.training.recipes import get_recipe
from neuralgpu.training.settings import PaperSettings

RECIPE = PaperSettings(curriculum_start=6, curriculum_threshold=0.9, curriculum_block=4)


def released() -> PaperSettings:
    settings = get_recipe("released").settings
    assert isinstance(settings, PaperSettings)
    return settings


def curriculum(recipe: PaperSettings = RECIPE, task: str = "badd") -> Curriculum:
    return Curriculum(recipe, get_task(task))


def levels_of(course: Curriculum, count: int = 10_000) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    rng = np.random.default_rng(0)
    return np.array([course.sample(rng) for _ in range(count)])


def pass_block(course: Curriculum, exact: float = 1.0) -> Block:
    """A block of minibatches of the present level."""
    block = None
    while block is None:
        block = course.record(course.level, exact, loss=0.25)
    return block


def test_a_block_at_the_threshold_moves_on_by_one_size() -> None:
    course = curriculum()
    blocks = [course.record(6, exact=0.9, loss=0.25) for _ in range(4)]
    assert blocks[:3] == [None, None, None]
    assert blocks[3] == Block(exact=0.9, loss=0.25, passed=True, at_largest=False)
    assert course.level == 7


def test_a_block_below_the_threshold_does_not() -> None:
    course = curriculum()
    blocks = [course.record(6, exact, loss=0.25) for exact in (1.0, 1.0, 1.0, 0.5)]
    assert blocks[3] is not None
    assert not blocks[3].passed
    assert course.level == 6


@pytest.mark.parametrize(("level", "counts"), [(5, False), (6, True), (7, False)])
def test_only_minibatches_of_the_present_size_count(level: int, counts: bool) -> None:
    course = curriculum()
    for _ in range(3):
        course.record(level, exact=0.5, loss=0.25)
    block = course.record(6, exact=1.0, loss=0.25)
    assert block is not None
    assert block.passed != counts


@pytest.mark.parametrize(("level", "counts"), [(5, True), (6, True), (7, False)])
def test_the_released_code_counts_shorter_minibatches_too(level: int, counts: bool) -> None:
    course = curriculum(replace(RECIPE, progress_on="shorter"))
    for _ in range(3):
        course.record(level, exact=0.5, loss=0.25)
    block = course.record(6, exact=1.0, loss=0.25)
    assert block is not None
    assert block.passed != counts


def test_a_block_is_of_steps_and_lasts_until_one_of_them_counts() -> None:
    course = curriculum()
    assert all(course.record(3, exact=0.0, loss=1.0) is None for _ in range(9))
    block = course.record(6, exact=1.0, loss=0.25)
    assert block is not None
    assert block.loss == 0.25


def test_the_largest_size_is_the_end() -> None:
    course = curriculum(replace(RECIPE, curriculum_start=19))
    assert [pass_block(course).at_largest for _ in range(3)] == [False, True, True]
    assert course.level == course.largest == 20


def test_a_fifth_of_the_minibatches_are_drawn_from_all_sizes() -> None:
    sizes = levels_of(curriculum())
    others = sizes[sizes != 6]
    assert len(others) / len(sizes) == pytest.approx(0.2 * 19 / 20, abs=0.01)
    assert set(others) == set(range(1, 21)) - {6}


def test_without_mixing_only_the_present_size_is_drawn() -> None:
    assert set(levels_of(curriculum(replace(RECIPE, mixing=0.0)))) == {6}


def test_without_a_curriculum_all_sizes_are_drawn_alike_and_count() -> None:
    course = curriculum(replace(RECIPE, curriculum=False))
    counts = np.bincount(levels_of(course))
    assert counts[0] == 0
    assert (np.abs(counts[1:] - 500) < 120).all()
    blocks = [course.record(3, exact=1.0, loss=0.25) for _ in range(4)]
    assert blocks[3] == Block(exact=1.0, loss=0.25, passed=True, at_largest=True)


def test_the_released_curriculum_goes_by_length_from_6_to_41() -> None:
    course = curriculum(released())
    levels = [course.level]
    while not pass_block(course, exact=0.86).at_largest:
        levels.append(course.level)
    assert levels == list(range(6, 42))


def test_the_released_threshold_is_a_sequence_error_of_15_percent() -> None:
    course = curriculum(released())
    assert not pass_block(course, exact=0.84).passed
    assert pass_block(course, exact=0.86).passed


@pytest.mark.parametrize(
    ("task", "sizes"),
    [("badd", [1, 1, 2, 2, 3, 20]), ("duplicate", [1, 2, 2, 3, 3, 20]), ("copy", [3, 4, 5, 6, 7, 41])],
)
def test_a_length_has_the_largest_size_that_fits_in_it(task: str, sizes: list[int]) -> None:
    assert [curriculum(released(), task).size(length) for length in (3, 4, 5, 6, 7, 41)] == sizes


@pytest.mark.parametrize(("task", "by_size"), [("badd", 2), ("duplicate", 2), ("copy", 1)])
def test_an_advance_adds_cells_to_the_tape(task: str, by_size: int) -> None:
    assert curriculum(RECIPE, task).cells == by_size
    assert curriculum(released(), task).cells == 1


def test_the_released_mixing_takes_the_larger_of_two_draws_and_a_quarter_from_all_lengths() -> None:
    course = curriculum(released())
    course.restore(CurriculumState(level=10, steps=0, seen=[]))
    lengths = levels_of(course, 40_000)
    assert (lengths.min(), lengths.max()) == (3, 41)
    for length in range(3, 41):
        one, of_all = min(1, (length - 2) / 8), (length - 2) / 39  # uniform in 3..10, and in 3..41
        expected = (0.4 * one + 0.6 * one**2) * (0.75 + 0.25 * of_all)
        assert (lengths <= length).mean() == pytest.approx(expected, abs=0.012)


def test_a_restored_curriculum_goes_on_in_the_middle_of_a_block() -> None:
    first, second = curriculum(), curriculum()
    for _ in range(2):
        first.record(6, exact=1.0, loss=0.25)
    first.record(20, exact=0.0, loss=9.0)
    second.restore(first.state())
    assert second.record(6, exact=1.0, loss=0.25) == first.record(6, exact=1.0, loss=0.25) is not None
    assert second.level == 7
