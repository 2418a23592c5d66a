"""Ctrl-C that ends in order: the first one is noted, the second acts at once."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def interruptible() -> Iterator[list[int]]:
    """Collect the first Ctrl-C or termination instead of dying of it; a second one acts at once."""
    caught: list[int] = []

    def handle(number: int, frame: FrameType | None) -> None:
        caught.append(number)  # and nothing is printed: the signal may have come in the middle of a print
        signal.signal(number, signal.default_int_handler)

    old = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield caught
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)
