"""Random digits: uniform, or with the patterns that uniform ones hardly ever have."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neuralgpu.ranges import Share

Digits = NDArray[np.int64]  # (count, digits), least significant first

DENSITIES = (0.03, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.97)
ZERO_STAYS = (0.5, 0.5, 0.75, 0.9)
OTHER_STAYS = (0.5, 0.75, 0.9, 0.95)
"""Chances that a zero, or another digit, is followed by itself."""


@dataclass(frozen=True, kw_only=True)
class Mixture:
    """Shares of examples that are not uniformly random; a number to which several of the last three apply follows the
    last of them."""

    any_lengths: Share = 0.0
    """share of pairs of numbers that fill the tape with any two lengths, all as often (arithmetic)"""
    patterned: Share = 0.0
    """share of numbers with a density of their own, zeros from some place up, zeros below some place, runs of one
    digit, or one digit throughout, all as often"""
    any_density: Share = 0.0
    """share of numbers with one of nine densities of digits other than zero, from 0.03 to 0.97, all as often"""
    runs: Share = 0.0
    """share of pairs of numbers made of runs of all lengths (arithmetic)"""


UNIFORM = Mixture()


def random_digits(
    rng: np.random.Generator,
    base: int,
    count: int,
    places: int,
    mixture: Mixture = UNIFORM,
    own: Digits | None = None,
) -> Digits:
    """Rows of digits; where rows have their `own` numbers of them (count, 1), zeros fill the places that are left."""
    lengths = np.full((count, 1), places) if own is None else own
    digits = patterned_digits(rng, base, places, lengths, mixture.patterned)
    if mixture.any_density:
        chosen = rng.random((count, 1)) < mixture.any_density
        digits = np.where(chosen, dense_digits(rng, base, places, rng.choice(DENSITIES, size=(count, 1))), digits)
    return np.where(np.arange(places) < lengths, digits, 0)


def patterned_digits(rng: np.random.Generator, base: int, places: int, lengths: Digits, share: float) -> Digits:
    """Rows of uniform digits, but for a share that has a pattern over its length."""
    size = (len(lengths), places)
    uniform = rng.integers(base, size=size)
    if not share:
        return uniform
    place = np.arange(places)
    cut = rng.integers(lengths + 1)
    dense = rng.random(size) < rng.random(lengths.shape)
    starts = rng.random(size) < rng.choice([0.1, 0.2, 0.4], size=lengths.shape)
    run = np.maximum.accumulate(np.where(starts, place, 0), axis=1)
    shapes = [
        np.where(dense, rng.integers(1, base, size=size), 0),
        np.where(place < cut, uniform, 0),
        np.where(place >= cut, uniform, 0),
        np.take_along_axis(uniform, run, axis=1),
        np.repeat(uniform[:, :1], places, axis=1),
    ]
    chosen = np.where(rng.random(size[0]) < share, rng.integers(len(shapes), size=size[0]), len(shapes))
    return np.choose(chosen[:, None], [*shapes, uniform])


def dense_digits(rng: np.random.Generator, base: int, places: int, density: NDArray[np.float64]) -> Digits:
    """Rows of digits, each with its share (count, 1) of digits that are not zero."""
    filled = rng.random((len(density), places)) < density
    return np.where(filled, rng.integers(1, base, size=filled.shape), 0)


def digits_in_runs(rng: np.random.Generator, base: int, count: int, places: int) -> Digits:
    """Rows of digits in runs of all lengths, where most is carried: a digit depends on the one before it."""
    zero_stays, other_stays = (rng.choice(stays, size=count) for stays in (ZERO_STAYS, OTHER_STAYS))
    chance = rng.random((count, places))
    digits = rng.integers(base, size=(count, places))
    changes = rng.integers(1, base, size=(count, places))
    for k in range(1, places):
        before = digits[:, k - 1]
        stays = chance[:, k] < np.where(before == 0, zero_stays, other_stays)
        digits[:, k] = np.where(stays, before, (before + changes[:, k]) % base)
    return digits
