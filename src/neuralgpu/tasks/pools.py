"""Pools: a number of examples for each size, each made once, where making one in Python is slow."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from neuralgpu.streams import Stream, stream
from neuralgpu.tasks.tape import Batch

EXAMPLES = 3_000
"""Examples of a pool, at most: a training of two thousand steps sees each about five times."""
EXAMPLES_A_CELL = 100
"""Examples for each cell of the tape: of small inputs there are few different ones."""

Draw = Callable[[np.random.Generator, int, int], Batch]
"""Makes this many examples of a size."""


class _Pool(NamedTuple):
    """The examples of a size, in as few bytes as symbols take, and which of them are made."""

    inputs: NDArray[np.unsignedinteger]
    targets: NDArray[np.unsignedinteger]
    made: NDArray[np.bool_]


class Pools:
    """A pool for each size. Seed, size and number decide an example, which is made when it is first drawn."""

    def __init__(self, draw: Draw, seed: int, symbols: int, cells: Callable[[int], int], most_cells: int) -> None:
        """Sizes that take more than `most_cells` have no pool and are drawn anew each time."""
        self._draw = draw
        self._seed = seed
        self._kind = np.min_scalar_type(symbols)
        self._cells = cells
        self._most_cells = most_cells
        self._pools: dict[int, _Pool] = {}

    def draw(self, rng: np.random.Generator, count: int, size: int) -> Batch:
        """Examples of one size, each as likely as the others."""
        cells = self._cells(size)
        if cells > self._most_cells:
            return self._draw(rng, count, size)
        if size not in self._pools:
            examples = min(EXAMPLES, EXAMPLES_A_CELL * cells)
            inputs, targets = (np.zeros((examples, cells), self._kind) for _ in range(2))
            self._pools[size] = _Pool(inputs, targets, np.zeros(examples, bool))
        pool = self._pools[size]
        chosen = rng.integers(len(pool.made), size=count)
        for number in chosen[~pool.made[chosen]]:
            example = self._draw(stream(self._seed, Stream.POOL, size * EXAMPLES + int(number)), 1, size)
            pool.inputs[number], pool.targets[number] = example.inputs[0], example.targets[0]
            pool.made[number] = True
        return Batch(pool.inputs[chosen].astype(np.int64), pool.targets[chosen].astype(np.int64))
