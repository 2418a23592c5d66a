"""Random numbers: every draw belongs to a purpose and an index, so that nothing depends on what was drawn before."""

from enum import IntEnum

import numpy as np


class Stream(IntEnum):
    """What random numbers are drawn for."""

    POOL = 1
    STEP = 2
    EVALUATION = 3
    STRESS = 4


def stream(seed: int, purpose: Stream, index: int = 0) -> np.random.Generator:
    """The generator of one purpose, for one index: a training step, a size of inputs."""
    return np.random.default_rng([seed, purpose, index])
