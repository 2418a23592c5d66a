from dataclasses import replace

import numpy as np
import pytest

from neuralgpu.training.curriculum import Curriculum, CurriculumState
from neuralgpu.training.settings import PaperSettings

RECIPE = PaperSettings(curriculum_start=6, curriculum_threshold=0.9, curriculum_block=4)


def sizes_of(curriculum: Curriculum, count: int = 10_000) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    rng = np.random.default_rng(0)
    return np.array([curriculum.sample_size(rng) for _ in range(count)])


def test_a_block_at_the_threshold_moves_on_by_one_size() -> None:
    curriculum = Curriculum(RECIPE, largest=20)
    blocks = [curriculum.record(6, exact=0.9, loss=0.1) for _ in range(4)]
    assert blocks[:3] == [None, None, None]
    assert blocks[3] is not None
    assert blocks[3].passed
    assert blocks[3].size == 6
    assert curriculum.size == 7


def test_a_block_below_the_threshold_does_not() -> None:
    curriculum = Curriculum(RECIPE, largest=20)
    blocks = [curriculum.record(6, exact, loss=0.1) for exact in (1.0, 1.0, 1.0, 0.5)]
    assert blocks[3] is not None
    assert not blocks[3].passed
    assert curriculum.size == 6


def test_only_minibatches_of_the_current_size_count() -> None:
    curriculum = Curriculum(RECIPE, largest=20)
    assert all(curriculum.record(3, exact=1.0, loss=0.1) is None for _ in range(20))
    assert curriculum.size == 6


def test_all_minibatches_count_when_progress_is_on_all() -> None:
    curriculum = Curriculum(replace(RECIPE, progress_on="all"), largest=20)
    for _ in range(4):
        curriculum.record(3, exact=1.0, loss=0.1)
    assert curriculum.size == 7


def test_the_largest_size_is_the_end() -> None:
    curriculum = Curriculum(RECIPE, largest=7)
    for _ in range(12):
        curriculum.record(curriculum.size, exact=1.0, loss=0.1)
    assert curriculum.complete
    assert curriculum.size == 7


def test_a_fifth_of_the_minibatches_are_drawn_from_all_sizes() -> None:
    sizes = sizes_of(Curriculum(RECIPE, largest=20))
    others = sizes[sizes != 6]
    assert len(others) / len(sizes) == pytest.approx(0.2 * 19 / 20, abs=0.01)
    assert set(others) == set(range(1, 21)) - {6}


def test_without_mixing_only_the_current_size_is_drawn() -> None:
    assert set(sizes_of(Curriculum(replace(RECIPE, mixing=0.0), largest=20))) == {6}


def test_without_a_curriculum_all_sizes_are_drawn_alike() -> None:
    counts = np.bincount(sizes_of(Curriculum(replace(RECIPE, curriculum=False), largest=20)))
    assert counts[0] == 0
    assert (np.abs(counts[1:] - 500) < 120).all()


def test_the_released_mixing_prefers_sizes_up_to_the_current_one() -> None:
    curriculum = Curriculum(replace(RECIPE, mixing_rule="released", curriculum_start=3), largest=20)
    curriculum.restore(CurriculumState(size=10, seen=[]))
    sizes = sizes_of(curriculum)
    assert sizes.min() == 3
    up_to = {size: (size - 2) / 8 for size in range(3, 11)}  # of one draw from 3 to 10
    for size, one in up_to.items():
        small = 0.4 * one + 0.6 * one**2  # mostly the larger of two draws
        expected = small * (0.75 + 0.25 * (size - 2) / 18)  # a quarter no smaller than one from 3 to 20
        assert (sizes <= size).mean() == pytest.approx(expected, abs=0.02)


def test_a_restored_curriculum_goes_on_in_the_middle_of_a_block() -> None:
    first, second = Curriculum(RECIPE, largest=20), Curriculum(RECIPE, largest=20)
    for _ in range(3):
        first.record(6, exact=1.0, loss=0.1)
    second.restore(first.state())
    assert second.record(6, exact=1.0, loss=0.1) == first.record(6, exact=1.0, loss=0.1)
    assert second.size == 7
