"""Random digits: uniform, or with the structure that uniform ones hardly ever have."""

import numpy as np
from numpy.typing import NDArray

Digits = NDArray[np.int64]  # (count, digits), least significant first


def random_digits(rng: np.random.Generator, base: int, count: int, places: int, structured: float = 0.0) -> Digits:
    """Rows of digits; about a share `structured` of them has a structure, drawn alike from

    a density of its own, zeros from some place up, zeros below some place, runs of one digit, and one digit throughout.
    """
    uniform = rng.integers(base, size=(count, places))
    if not structured:
        return uniform
    place = np.arange(places)
    cut = rng.integers(places + 1, size=(count, 1))
    dense = rng.random((count, places)) < rng.random((count, 1))
    starts = rng.random((count, places)) < rng.choice([0.1, 0.2, 0.4], size=(count, 1))
    run = np.maximum.accumulate(np.where(starts, place, 0), axis=1)
    shapes = [
        np.where(dense, rng.integers(1, base, size=(count, places)), 0),
        np.where(place < cut, uniform, 0),
        np.where(place >= cut, uniform, 0),
        np.take_along_axis(uniform, run, axis=1),
        np.repeat(uniform[:, :1], places, axis=1),
    ]
    chosen = np.where(rng.random(count) < structured, rng.integers(len(shapes), size=count), len(shapes))
    return np.choose(chosen[:, None], [*shapes, uniform])
