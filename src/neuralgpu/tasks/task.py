"""What a task is: an alphabet, random inputs and their true answers, and the tape that a network sees of them."""

import copy
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

from neuralgpu.errors import UserError
from neuralgpu.tasks.digits import UNIFORM, Mixture
from neuralgpu.tasks.kept import Kept
from neuralgpu.tasks.pools import Pools
from neuralgpu.tasks.source import Source
from neuralgpu.tasks.stress import sequences
from neuralgpu.tasks.symbols import EMPTY, Alphabet, join, split
from neuralgpu.tasks.tape import PAD, Batch, Tape, Tapes, pad

EXAMPLE_SIZE = 4


class Task(ABC):
    """A function from text to text, with the tape that a network sees of it.

    A tape has `length(size)` cells. The input stands at its start and PAD after it; the answer is read from cell 0 on
    and must be followed by the filler to the end of the tape. An output is exact when every cell is right.

    A name, an alphabet, random inputs and their answers are enough for a task:

    >>> class Swap(Task):
    ...     '''Every a becomes a b and every b an a; c stays.'''
    ...
    ...     name = "swap"
    ...     alphabet = "abc"
    ...
    ...     def random(self, rng: np.random.Generator, size: int) -> str:
    ...         return random_text(rng, self.alphabet, size)
    ...
    ...     def answer(self, text: str) -> str:
    ...         return text.translate(str.maketrans("ab", "ba"))
    >>> task = Swap()
    >>> task.answer(task.example())
    'caab'
    >>> task.sample(np.random.default_rng(0), count=2, size=5).inputs.tolist()
    [[3, 2, 2, 1, 1], [1, 1, 1, 1, 3]]
    """

    name: str
    alphabet: Alphabet
    """its symbols, each once: characters, or a tuple of words; none has a space, which stands for an empty cell"""
    unit: str = "symbols"
    """what a task's size counts"""
    tape: Tape = Tape()
    """what the task itself needs; `on` gives it another one"""
    source: Source | None = None
    """the file that it was read from, where it is none of `ngpu tasks`"""
    _own_tape: Tape | None = None  # what the task itself needs, once it has another one
    _pools: Pools | None = None

    @abstractmethod
    def random(self, rng: np.random.Generator, size: int) -> str:
        """A random input of this size."""

    @abstractmethod
    def answer(self, text: str) -> str | None:
        """The true answer to an input; None where it is not known."""

    def explain(self, text: str, answer: str | None) -> str | None:
        """The input and an answer in everyday notation, where there are both."""
        return None

    def example(self) -> str:
        """A short valid input, always the same."""
        return self.random(np.random.default_rng(0), EXAMPLE_SIZE)

    def stress(self, size: int, rng: np.random.Generator) -> dict[str, str]:
        """Inputs of this size that random ones hardly ever are, by name; some of them are partly random."""
        return {name: text for name, text in sequences(self.alphabet, size, rng) if self._takes(text, size)}

    def size(self, text: str) -> int:
        """The size of an input given as text; a UserError says what is wrong with a text that is no input."""
        self._check_symbols(text)
        return len(split(text, self.alphabet))

    def nearest_size(self, size: int) -> int:
        """The largest size not above this one of which there are inputs; the smallest of all where there is none."""
        return size

    def held_out(self) -> Sequence[tuple[str, str]] | None:
        """Inputs and answers that are kept for exams and never trained on; None where inputs of any size can be
        made."""
        return None

    def report_sizes(self) -> Sequence[int] | None:
        """The sizes of a report; None where inputs of any size can be made."""
        return None

    def kept(self, size: int) -> Kept | None:
        """All that a report may use of a size; None where inputs of any size can be made."""
        return None

    def input_symbols(self, size: int) -> int:
        """The symbols of an input of this size."""
        return size

    def on(self, tape: Tape) -> Self:
        """This task on another tape; a UserError says so where the tape's fill is no symbol of the task."""
        if tape.fill is not None and tape.fill not in tuple(self.alphabet):
            raise UserError(f"fill is {tape.fill!r}; it must be a symbol of {self.name}: {' '.join(self.alphabet)}")
        task = copy.copy(self)
        task._own_tape, task.tape = self._own_tape or self.tape, tape
        return task

    def tape_with(self, slack: int, stretch: float, zero_fill: bool) -> Tape:
        """The task's own tape with `slack` more cells, and `stretch` more for each of its cells; arithmetic alone has
        zeros to fill it with."""
        own = self._own_tape or self.tape
        return Tape(own.per_symbol * (1 + stretch), own.extra + slack, own.fill)

    def with_pools(self, seed: int, most_cells: int) -> Self:
        """This task for a training: where making an input is slow, inputs of up to this many cells are drawn from pools
        that the seed decides."""
        task = copy.copy(self)
        task._pools = Pools(self.fresh, seed, self.symbols, self.extent, most_cells)
        return task

    @property
    def symbols(self) -> int:
        """The number of different symbols, PAD included."""
        return len(self.alphabet) + 1

    @property
    def filler(self) -> int:
        """The symbol that follows an answer to the end of the tape."""
        return PAD if self.tape.fill is None else self.alphabet.index(self.tape.fill) + 1

    def extent(self, size: int) -> int:
        """The cells that an input of this size and its answer take: those of the task's own tape."""
        return (self._own_tape or self.tape).cells(self.input_symbols(size))

    def length(self, size: int) -> int:
        """n, the cells of the tape for inputs of this size."""
        return self.tape.cells(self.input_symbols(size))

    def largest_size(self, extent: int) -> int:
        """The largest size there is that takes no more than `extent` cells of the task's own tape; 0 if none does."""
        above = 1
        while self.extent(above) <= extent:
            above *= 2
        below = above // 2
        while above - below > 1:
            middle = (below + above) // 2
            below, above = (middle, above) if self.extent(middle) <= extent else (below, middle)
        size = self.nearest_size(max(1, below))
        return size if self.extent(size) <= extent else 0

    def draw(self, rng: np.random.Generator, count: int, size: int, mixture: Mixture) -> Batch:
        """What `sample` returns, with PAD after the answers, on tapes that may be shorter.

        Made of `random` and `answer`, whatever the mixture; a task that is trained for hours deserves a faster one.
        """
        return self._pools.draw(rng, count, size) if self._pools else self.fresh(rng, count, size)

    def fresh(self, rng: np.random.Generator, count: int, size: int) -> Batch:
        """Examples made of `random` and `answer`."""
        texts = [self.random(rng, size) for _ in range(count)]
        for text in texts:
            if self.size(text) != size:
                raise UserError(f"random({size}) of {self.name} is {text!r}, an input of size {self.size(text)}")
        cells = self.extent(size)
        answers = [self._fitting_answer(text, cells) for text in texts]
        return Batch(*(np.concatenate([self._tape(text, cells) for text in part]) for part in (texts, answers)))

    def sample(
        self, rng: np.random.Generator, count: int, size: int, mixture: Mixture = UNIFORM, cells: int | None = None
    ) -> Batch:
        """Random inputs of one size with their true answers, on tapes of `length(size)` or of this many `cells`.

        Where there are no inputs of this size, they have the nearest.
        """
        size = self.nearest_size(size)
        inputs, targets = self.draw(rng, count, size, mixture)
        n = self.length(size) if cells is None else cells
        return Batch(pad(inputs, n), pad(targets, n, self.filler))

    def encode(self, text: str) -> Tapes:
        """The tape (1, n) of an input given as text."""
        return self._tape(text, self.length(self.size(text)))

    def encode_answer(self, text: str, answer: str | None = None) -> Tapes:
        """The tape (1, n) that a network should leave for an input given as text: this answer, or else the true one."""
        cells = self.length(self.size(text))
        return self._tape(self._fitting_answer(text, cells, answer), cells, self.filler)

    def read(self, tape: NDArray[np.int64]) -> str:
        """The answer on a tape (n,): its text without what fills the tape; of nothing but fill, one symbol is left."""
        kept = np.flatnonzero((tape != PAD) & (tape != self.filler))
        if self.tape.fill and not len(kept):
            return self.tape.fill
        return self.decode(tape[: kept[-1] + 1 if len(kept) else 0])

    def decode(self, tape: NDArray[np.int64]) -> str:
        """The text on a tape (n,), up to its last symbol; an empty cell before that reads as a space."""
        last = int(np.max(np.flatnonzero(tape != PAD), initial=-1))
        empty = EMPTY[not isinstance(self.alphabet, str)]
        return join((self.alphabet[symbol - 1] if symbol else empty for symbol in tape[: last + 1]), self.alphabet)

    def _tape(self, text: str, cells: int, filler: int = PAD) -> Tapes:
        numbers = [self.alphabet.index(symbol) + 1 for symbol in split(text, self.alphabet)]
        return pad(np.array([numbers], dtype=np.int64), cells, filler)

    def _fitting_answer(self, text: str, cells: int, answer: str | None = None) -> str:
        """The answer, which must be known and fit on the tape."""
        answer = self.answer(text) if answer is None else answer
        if answer is None:
            raise UserError(f"the true answer of {self.name} to {text!r} is not known")
        symbols = len(split(answer, self.alphabet))
        strange = next((symbol for symbol in split(answer, self.alphabet) if symbol not in self.alphabet), None)
        if strange is not None:
            raise UserError(
                f"the answer {answer!r} to {text!r} has {strange!r}, which is not in the alphabet of {self.name}: "
                f"{' '.join(self.alphabet)}"
            )
        if symbols > cells:
            raise UserError(
                f"the answer of {self.name} to {text!r} has {symbols} symbols and the tape {cells} cells; give the "
                "task a longer tape, such as Tape(per_symbol=2)"
            )
        return answer

    def _takes(self, text: str, size: int) -> bool:
        try:
            return self.size(text) == size
        except UserError:
            return False

    def _check_symbols(self, text: str) -> None:
        symbols = split(text, self.alphabet)
        if not symbols:
            raise UserError(f"the input is empty; {self.name} takes text like {self.example()!r}")
        for position, symbol in enumerate(symbols):
            if symbol not in self.alphabet:
                raise UserError(
                    f"symbol {symbol!r} at position {position} is not in the alphabet of {self.name}: "
                    f"{' '.join(self.alphabet)}"
                )


def random_text(rng: np.random.Generator, symbols: Alphabet, count: int) -> str:
    """`count` symbols, drawn independently and all alike."""
    return join((symbols[number] for number in rng.integers(len(symbols), size=count)), symbols)
