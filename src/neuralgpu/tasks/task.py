"""What a task is: an alphabet, a tape layout, a sampler and the true answer."""

import copy
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from neuralgpu.errors import UserError
from neuralgpu.tasks.digits import UNIFORM, Mixture

PAD = 0
"""The symbol of a cell that holds nothing; the others are 1, 2, ... in the order of the task's alphabet."""

Tapes = NDArray[np.int64]  # (count, n)


class Batch(NamedTuple):
    """Tapes with the answers a network should leave on them."""

    inputs: Tapes  # (count, n)
    targets: Tapes  # (count, n)


@dataclass(frozen=True)
class Layout:
    """What a recipe may change about the tape; the paper changes nothing."""

    slack: int = 0
    """empty cells added at the end of the tape, each of which gives the network one more step"""
    stretch: float = 0.0
    """more such cells: so many for each cell of the input and its answer"""
    zero_fill: bool = False
    """a number is followed by zeros to the end of the tape, not by PAD"""


class Task(ABC):
    """A function from text to text, with the tape that a network sees of it.

    A tape has `length(size)` cells. The input stands at its start and PAD after it; the answer is read from cell 0 on
    and must be followed by PAD to the end of the tape. An output is exact when every cell, PAD included, is right.
    """

    name: str
    alphabet: str
    unit: str
    """what a task's size counts"""
    layout = Layout()

    def with_layout(self, layout: Layout) -> Self:
        """This task on tapes of another layout."""
        task = copy.copy(self)
        task.layout = layout
        return task

    @property
    def symbols(self) -> int:
        """The number of different symbols, PAD included."""
        return len(self.alphabet) + 1

    @abstractmethod
    def extent(self, size: int) -> int:
        """The cells that an input of this size and its answer take."""

    @abstractmethod
    def draw(self, rng: np.random.Generator, count: int, size: int, mixture: Mixture) -> Batch:
        """What `sample` returns, on tapes without slack and with PAD after the answers."""

    @abstractmethod
    def size(self, text: str) -> int:
        """The size of an input given as text; a UserError says what is wrong with a text that is no input."""

    @abstractmethod
    def answer(self, text: str) -> str:
        """The true answer to an input given as text."""

    def explain(self, text: str, answer: str) -> str | None:
        """The input and an answer in everyday notation, where there is one."""
        return None

    @property
    def filler(self) -> int:
        """The symbol that follows an answer to the end of the tape."""
        return PAD

    def length(self, size: int) -> int:
        """n, the cells of the tape for inputs of this size."""
        extent = self.extent(size)
        return extent + self.layout.slack + int(extent * self.layout.stretch)

    def largest_size(self, extent: int) -> int:
        """The largest size that takes no more than `extent` cells, slack aside."""
        size = 0
        while self.extent(size + 1) <= extent:
            size += 1
        return size

    def sample(self, rng: np.random.Generator, count: int, size: int, mixture: Mixture = UNIFORM) -> Batch:
        """Random inputs of one size, with their true answers."""
        batch = self.draw(rng, count, size, mixture)
        inputs, targets = (np.pad(tapes, ((0, 0), (0, self.length(size) - tapes.shape[1]))) for tapes in batch)
        return Batch(inputs, np.where(targets == PAD, self.filler, targets))

    def encode(self, text: str) -> Tapes:
        """The tape (1, n) of an input given as text."""
        return self._tape(text, self.length(self.size(text)), PAD)

    def encode_answer(self, text: str) -> Tapes:
        """The tape (1, n) that a network should leave for an input given as text."""
        return self._tape(self.answer(text), self.length(self.size(text)), self.filler)

    def read(self, tape: NDArray[np.int64]) -> str:
        """The answer on a tape (n,): its text without what fills the tape."""
        return self.decode(tape)

    def decode(self, tape: NDArray[np.int64]) -> str:
        """The text on a tape (n,), up to its last symbol; an empty cell before that reads as a space."""
        return "".join((" " + self.alphabet)[symbol] for symbol in tape).rstrip()

    def _tape(self, text: str, length: int, filler: int) -> Tapes:
        tape = np.full((1, length), filler)
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
