"""Minibatches: from a fixed pool of examples for each size, as in the paper, or drawn anew."""

import numpy as np

from neuralgpu.streams import Stream, stream
from neuralgpu.tasks import Batch, Task


class TrainingData:
    """A pool of `examples` inputs for each level of the curriculum, drawn from the seed when it is first needed.

    0 examples keep no pool. A level is a size, or a length; two lengths may have inputs of the same size.
    """

    def __init__(self, task: Task, examples: int, seed: int) -> None:
        self.task = task
        self.examples = examples
        self.seed = seed
        self._pools: dict[int, Batch] = {}

    def minibatch(self, rng: np.random.Generator, count: int, level: int, size: int) -> Batch:
        """`count` examples of a level, whose inputs have this size."""
        if not self.examples:
            return self.task.sample(rng, count, size)
        if level not in self._pools:
            self._pools[level] = self.task.sample(stream(self.seed, Stream.POOL, level), self.examples, size)
        pool = self._pools[level]
        chosen = rng.integers(self.examples, size=count)
        return Batch(pool.inputs[chosen], pool.targets[chosen])
