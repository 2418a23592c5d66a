"""Random numbers: every draw belongs to a purpose and an index, so that nothing depends on what was drawn before."""

from enum import IntEnum

import numpy as np

from neuralgpu.errors import UserError


class Stream(IntEnum):
    """What random numbers are drawn for."""

    POOL = 1
    STEP = 2
    EVALUATION = 3
    STRESS = 4
    RETRY = 5
    EXAM = 6
    MERIT = 7


def check_seed(seed: int) -> None:
    """Refuse a seed that no generator takes."""
    if not 0 <= seed < 2**63:
        raise UserError(f"seed is {seed}; it must be from 0 to 2^63 - 1")


def stream(seed: int, purpose: Stream, index: int = 0) -> np.random.Generator:
    """The generator of one purpose, for one index: a training step, a size of inputs."""
    check_seed(seed)
    return np.random.default_rng([seed, purpose, index])
