"""What a task is: an alphabet, a tape layout, a sampler and the true answer."""

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from neuralgpu.errors import UserError

PAD = 0
"""The symbol of a cell that holds nothing; the others are 1, 2, ... in the order of the task's alphabet."""

Tapes = NDArray[np.int64]  # (count, n)


class Batch(NamedTuple):
    """Tapes with the answers a network should leave on them."""

    inputs: Tapes  # (count, n)
    targets: Tapes  # (count, n)


class Task(ABC):
    """A function from text to text, with the tape that a network sees of it.

    A tape has `length(size)` cells. The input stands at its start and PAD after it; the answer is read from cell 0 on
    and must be followed by PAD to the end of the tape. An output is exact when every cell, PAD included, is right.
    """

    name: str
    alphabet: str
    unit: str
    """what a task's size counts"""

    @property
    def symbols(self) -> int:
        """The number of different symbols, PAD included."""
        return len(self.alphabet) + 1

    @abstractmethod
    def length(self, size: int) -> int:
        """n, the cells of the tape for inputs of this size."""

    @abstractmethod
    def sample(self, rng: np.random.Generator, count: int, size: int) -> Batch:
        """Random inputs of one size, with their true answers."""

    @abstractmethod
    def size(self, text: str) -> int:
        """The size of an input given as text; a UserError says what is wrong with a text that is no input."""

    @abstractmethod
    def answer(self, text: str) -> str:
        """The true answer to an input given as text."""

    def explain(self, text: str, answer: str) -> str | None:
        """The input and an answer in everyday notation, where there is one."""
        return None

    def largest_size(self, length: int) -> int:
        """The largest size whose tape fits in `length` cells."""
        size = 0
        while self.length(size + 1) <= length:
            size += 1
        return size

    def encode(self, text: str) -> Tapes:
        """The tape (1, n) of an input given as text."""
        return self._tape(text, self.length(self.size(text)))

    def encode_answer(self, text: str) -> Tapes:
        """The tape (1, n) that a network should leave for an input given as text."""
        return self._tape(self.answer(text), self.length(self.size(text)))

    def decode(self, tape: NDArray[np.int64]) -> str:
        """The text on a tape (n,), up to its last symbol; an empty cell before that reads as a space."""
        return "".join((" " + self.alphabet)[symbol] for symbol in tape).rstrip()

    def _tape(self, text: str, length: int) -> Tapes:
        tape = np.full((1, length), PAD)
        tape[0, : len(text)] = [self.alphabet.index(symbol) + 1 for symbol in text]
        return tape

    def _check_symbols(self, text: str) -> None:
        if not text:
            raise UserError(f"the input is empty; {self.name} takes text like {self.example()!r}")
        for position, symbol in enumerate(text):
            if symbol not in self.alphabet:
                raise UserError(
                    f"symbol {symbol!r} at position {position} is not in the alphabet of {self.name}: "
                    f"{' '.join(self.alphabet)}"
                )

    @abstractmethod
    def example(self) -> str:
        """A short valid input."""
