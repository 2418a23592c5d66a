"""Dropout and noise as functions of (seed, example, step, element): the generator of the native engine, in numpy.

native/dropout.h computes the same hash, so a torch rollout with these factors follows a native one number by number.
"""

import numpy as np
from numpy.typing import NDArray


def factors(seed: int, batch: int, step: int, elements: int, rate: float) -> NDArray[np.float32]:
    """What dropout multiplies the elements of each example by in one step (batch, elements): 0 or 1/(1 - rate)."""
    low, high = _key(seed, batch, step)
    element = np.arange(elements, dtype=np.uint32)
    hashed = _mix32(_mix32(element ^ low) ^ high)
    return np.where(hashed < threshold(rate), np.float32(0), np.float32(scale(rate)))


def noise(seed: int, batch: int, step: int, elements: int) -> NDArray[np.float32]:
    """Uniform noise in [-1, 1) for the elements of each example in one step (batch, elements)."""
    low, high = _key(seed, batch, step)
    element = np.arange(elements, dtype=np.uint32)
    hashed = _mix32(_mix32(element ^ high) ^ low)
    return (hashed >> np.uint32(8)).astype(np.float32) * np.float32(2**-23) - np.float32(1)


def _key(seed: int, batch: int, step: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """The two halves of each example's key in one step, each (batch, 1)."""
    start: NDArray[np.uint64] = np.full(1, seed % 2**64, np.uint64)
    example: NDArray[np.uint64] = np.arange(batch, dtype=np.uint64)
    key = _mix64(_mix64(_mix64(start) + example) + np.uint64(step))[:, None]
    return (key & np.uint64(0xFFFFFFFF)).astype(np.uint32), (key >> np.uint64(32)).astype(np.uint32)


def threshold(rate: float) -> int:
    """An element is dropped when its 32-bit hash is below this."""
    if not 0 <= rate < 1:
        raise ValueError(f"dropout rate is {rate}; it must be at least 0 and below 1")
    return int(rate * 2**32)


def scale(rate: float) -> float:
    """What the elements that stay are multiplied by, to keep the mean."""
    return 1 / (1 - rate)


def _mix64(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def _mix32(x: NDArray[np.uint32]) -> NDArray[np.uint32]:
    x = (x ^ (x >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    x = (x ^ (x >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    return x ^ (x >> np.uint32(16))
