"""Minibatches: from a fixed pool of examples for each size, as in the paper, or drawn anew."""

import numpy as np

from neuralgpu.streams import Stream, stream
from neuralgpu.tasks import Batch, Task


class TrainingData:
    """A pool of `examples` inputs for each size, drawn from the seed when the size is first needed; 0 keeps no pool."""

    def __init__(self, task: Task, examples: int, seed: int) -> None:
        self.task = task
        self.examples = examples
        self.seed = seed
        self._pools: dict[int, Batch] = {}

    def minibatch(self, rng: np.random.Generator, count: int, size: int) -> Batch:
        """`count` examples of one size."""
        if not self.examples:
            return self.task.sample(rng, count, size)
        pool = self._pool(size)
        chosen = rng.integers(self.examples, size=count)
        return Batch(pool.inputs[chosen], pool.targets[chosen])

    def _pool(self, size: int) -> Batch:
        if size not in self._pools:
            self._pools[size] = self.task.sample(stream(self.seed, Stream.POOL, size), self.examples, size)
        return self._pools[size]
