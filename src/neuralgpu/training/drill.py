"""Drill: the examples that a network found hardest come back until they are easy."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from neuralgpu.tasks import Batch

KEPT = 128
"""Examples of each length that a drill holds."""
MEMORY = 0.7
"""How much of what it was the loss of an example stays when the example comes back: noise makes each loss uncertain."""
FLOOR = 1e-6
"""Added to losses when examples are drawn, so that all can be."""

NONE = np.empty(0, np.int64)


@dataclass
class Drill:
    """The hardest examples of one length, hardest first."""

    inputs: NDArray[np.int64]  # (kept, n)
    targets: NDArray[np.int64]  # (kept, n)
    losses: NDArray[np.float64]  # (kept)
    drawn: NDArray[np.int64]  # places of those that this step trains on

    @classmethod
    def empty(cls, cells: int) -> "Drill":
        """No example yet, for tapes of so many cells."""
        tapes = np.empty((0, cells), np.int64)
        return cls(tapes, tapes, np.empty(0), NONE)

    def draw(self, rng: np.random.Generator, count: int) -> Batch:
        """Some of the examples, the harder the more likely; none until there are plenty."""
        if len(self.losses) < KEPT // 2:
            count = 0
        weights = self.losses + FLOOR
        self.drawn = rng.choice(len(weights), count, replace=False, p=weights / weights.sum()) if count else NONE
        return Batch(self.inputs[self.drawn], self.targets[self.drawn])

    def learn(self, new: Batch, losses: NDArray[np.float64]) -> None:
        """Take in the losses of the drawn examples, followed by those of new ones, and keep the hardest."""
        again, first = np.split(losses, [len(self.drawn)])
        self.losses[self.drawn] += (1 - MEMORY) * (again - self.losses[self.drawn])
        everything = np.concatenate([self.losses, first])
        hardest = np.argsort(-everything, kind="stable")[:KEPT]
        self.inputs = np.concatenate([self.inputs, new.inputs])[hardest]
        self.targets = np.concatenate([self.targets, new.targets])[hardest]
        self.losses = everything[hardest]
        self.drawn = NONE

    def state(self) -> dict[str, Tensor]:
        """What `restore` goes on from."""
        return {name: torch.from_numpy(getattr(self, name)) for name in ("inputs", "targets", "losses")}

    @classmethod
    def restore(cls, tensors: dict[str, Tensor]) -> "Drill":
        """The drill whose state is given."""
        return cls(**{name: tensor.numpy().copy() for name, tensor in tensors.items()}, drawn=NONE)
