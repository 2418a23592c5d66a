"""The curriculum: larger inputs only once the smaller ones are mastered."""

from dataclasses import dataclass

import numpy as np

from neuralgpu.training.baseline_settings import LSTMAttentionSettings
from neuralgpu.training.settings import PaperSettings


@dataclass(frozen=True)
class Block:
    """What the curriculum saw in one block of minibatches."""

    size: int
    """the curriculum's, during the block"""
    exact: float
    """share of fully correct outputs"""
    loss: float
    """mean loss"""
    passed: bool
    """whether the share reached the threshold"""


class Curriculum:
    """Chooses the size of each minibatch and moves on by one when a block of minibatches passes the threshold.

    With the recipe's curriculum off, sizes are drawn from all; blocks are still counted, because the relaxation pull
    grows with them.
    """

    def __init__(self, recipe: PaperSettings | LSTMAttentionSettings, largest: int) -> None:
        self.recipe = recipe
        self.largest = largest
        self.start = min(recipe.curriculum_start, largest)
        self.size = self.start
        self._seen: list[tuple[float, float]] = []  # (share exact, loss) of this block's minibatches

    @property
    def complete(self) -> bool:
        """Whether the largest size has been reached."""
        return self.size == self.largest

    def sample_size(self, rng: np.random.Generator) -> int:
        """The size of the next minibatch."""
        if not self.recipe.curriculum:
            return int(rng.integers(1, self.largest + 1))
        if self.recipe.mixing_rule == "released":
            return self._released_size(rng)
        if rng.random() < self.recipe.mixing:
            return int(rng.integers(1, self.largest + 1))
        return self.size

    def _released_size(self, rng: np.random.Generator) -> int:
        smallest = self.start
        size = rng.integers(smallest, self.size + 1)
        if rng.random() < 0.6:
            size = max(size, rng.integers(smallest, self.size + 1))
        if rng.random() < 0.25:
            size = max(size, rng.integers(smallest, self.largest + 1))
        return int(size)

    def record(self, size: int, exact: float, loss: float) -> Block | None:
        """Count one minibatch; at the end of a block return it, with `size` moved on if the block passed."""
        recipe = self.recipe
        counts = size == self.size if recipe.curriculum and recipe.progress_on == "current" else True
        if counts:
            self._seen.append((exact, loss))
        if len(self._seen) < recipe.curriculum_block:
            return None
        exact, loss = np.mean(self._seen, axis=0).tolist()
        self._seen.clear()
        block = Block(self.size, exact, loss, passed=exact >= recipe.curriculum_threshold)
        if block.passed and not self.complete:
            self.size += 1
        return block

    def state(self) -> dict[str, object]:
        """What a checkpoint keeps."""
        return {"size": self.size, "seen": self._seen}

    def restore(self, size: int, seen: list[tuple[float, float]]) -> None:
        """Continue from a checkpoint's state."""
        self.size = size
        self._seen = [(exact, loss) for exact, loss in seen]
