"""Pools: examples that are drawn once for each size, where making one in Python is slow."""

from collections.abc import Callable

import numpy as np

from neuralgpu.streams import Stream, stream
from neuralgpu.tasks.tape import Batch

EXAMPLES = 4_000
"""Examples of a pool: a training of some thousand steps sees each only a few times."""

Draw = Callable[[np.random.Generator, int, int], Batch]
"""Makes a number of examples of a size: draw(rng, count, size)."""


class Pools:
    """A pool for each size, filled when the size is first asked for; seed and size alone decide what is in it."""

    def __init__(self, draw: Draw, seed: int, pooled: Callable[[int], bool]) -> None:
        """Sizes that are not `pooled` are drawn anew each time."""
        self._draw = draw
        self._seed = seed
        self._pooled = pooled
        self._pools: dict[int, Batch] = {}

    def draw(self, rng: np.random.Generator, count: int, size: int) -> Batch:
        """Examples of one size, each as likely as the others."""
        if not self._pooled(size):
            return self._draw(rng, count, size)
        inputs, targets = self._pool(size)
        chosen = rng.integers(EXAMPLES, size=count)
        return Batch(inputs[chosen].astype(np.int64), targets[chosen].astype(np.int64))

    def _pool(self, size: int) -> Batch:
        """The pool of a size, in as few bytes as its symbols take."""
        if size not in self._pools:
            made = self._draw(stream(self._seed, Stream.POOL, size), EXAMPLES, size)
            small = np.min_scalar_type(max(tapes.max(initial=0) for tapes in made))
            self._pools[size] = Batch(*(tapes.astype(small) for tapes in made))
        return self._pools[size]
