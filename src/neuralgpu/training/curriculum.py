"""The curriculum: larger inputs only once the smaller ones are mastered."""

from dataclasses import dataclass

import numpy as np

from neuralgpu.evaluation.sizes import TRAINING_CELLS
from neuralgpu.tasks import Task
from neuralgpu.training.baseline_settings import LSTMAttentionSettings
from neuralgpu.training.settings import PaperSettings


@dataclass(frozen=True)
class Block:
    """What the curriculum saw in one block of steps."""

    exact: float
    """share of fully correct outputs, of the minibatches that count"""
    loss: float
    """their mean loss"""
    passed: bool
    """whether the share reached the threshold"""
    at_largest: bool
    """whether the curriculum was at the largest level already"""


@dataclass(frozen=True)
class CurriculumState:
    """Where a curriculum stands."""

    level: int
    steps: int
    """of the present block"""
    seen: list[tuple[float, float]]
    """share exact and loss of each of its minibatches that count"""


class Curriculum:
    """Chooses the level of each minibatch and moves on by one level when a block of steps passes the threshold.

    A level is a size of the task or a length in cells, as the recipe says; `size` translates. With the recipe's
    curriculum off, the largest level is the present one from the start and levels are drawn from all.
    """

    def __init__(self, recipe: PaperSettings | LSTMAttentionSettings, task: Task) -> None:
        self.recipe = recipe
        self.task = task
        self.largest = TRAINING_CELLS if recipe.curriculum_by == "length" else task.largest_size(TRAINING_CELLS)
        self.smallest = min(recipe.curriculum_smallest, self.largest)
        start = recipe.curriculum_start if recipe.curriculum else self.largest
        self.level = min(max(start, self.smallest), self.largest)
        self._steps = 0  # of this block
        self._seen: list[tuple[float, float]] = []  # (share exact, loss) of its minibatches that count

    def size(self, level: int) -> int:
        """The task's size at a level: itself, or the largest size that fits in this length."""
        return max(1, self.task.largest_size(level)) if self.recipe.curriculum_by == "length" else level

    @property
    def cells(self) -> int:
        """The cells that a level has more than the one before it."""
        return 1 if self.recipe.curriculum_by == "length" else self.task.extent(2) - self.task.extent(1)

    def sample(self, rng: np.random.Generator) -> int:
        """The level of the next minibatch."""
        recipe = self.recipe
        if not recipe.curriculum:
            return self._up_to(self.largest, rng)
        if recipe.mixing_rule == "paper":
            return self._up_to(self.largest, rng) if rng.random() < recipe.mixing else self.level
        level = self._up_to(self.level, rng)
        if rng.random() < 0.6:
            level = max(level, self._up_to(self.level, rng))
        if rng.random() < recipe.mixing:
            level = max(level, self._up_to(self.largest, rng))
        return level

    def _up_to(self, level: int, rng: np.random.Generator) -> int:
        return int(rng.integers(self.smallest, level + 1))

    def record(self, level: int, exact: float, loss: float) -> Block | None:
        """Take note of one minibatch; at the end of a block return it, with the level moved on if the block passed."""
        recipe = self.recipe
        self._steps += 1
        if level == self.level or (level < self.level and (recipe.progress_on == "shorter" or not recipe.curriculum)):
            self._seen.append((exact, loss))
        if self._steps < recipe.curriculum_block or not self._seen:
            return None
        exact, loss = np.mean(self._seen, axis=0).tolist()
        self._steps = 0
        self._seen.clear()
        block = Block(exact, loss, exact >= recipe.curriculum_threshold, self.level == self.largest)
        if block.passed and not block.at_largest:
            self.level += 1
        return block

    def state(self) -> CurriculumState:
        """What a checkpoint keeps."""
        return CurriculumState(self.level, self._steps, list(self._seen))

    def restore(self, state: CurriculumState) -> None:
        """Continue from a checkpoint's state."""
        self.level, self._steps, self._seen = state.level, state.steps, list(state.seen)
