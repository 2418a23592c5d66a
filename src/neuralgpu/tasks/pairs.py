"""A task made of a file of examples: short ones are trained on, the longest are held out."""

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from neuralgpu.errors import UserError
from neuralgpu.tasks.digits import Mixture
from neuralgpu.tasks.examples import Example, Examples, read_examples
from neuralgpu.tasks.fitting import fit_tape, rule
from neuralgpu.tasks.kept import Kept
from neuralgpu.tasks.symbols import split
from neuralgpu.tasks.tape import Batch
from neuralgpu.tasks.task import EXAMPLE_SIZE, Task

HELD_OUT = 20
"""Where no input is too long to train on, the longest are held out: one pair in this many, or a few more."""
FEWEST_HELD_OUT = 20
"""Pairs that are held out even where fewer are too long to train on."""
FEWEST_OF_A_SIZE = 10
"""Pairs of a size that is trained on, but for the shortest sizes, of which there may be no more."""
FEWEST = 100
"""Pairs that are trained on."""
SIZES_REPORTED = 6
"""Sizes that are held out and stand in a report; of more than these, some between the shortest and the longest."""


class PairsTask(Task):
    """Inputs with their answers, as they stand in a file.

    What is trained on, and what is held out, follows from the file and the longest tape in training alone.
    """

    def __init__(self, read: Examples, most_cells: int, taken: frozenset[str] = frozenset()) -> None:
        """The task is called like the file; names that are `taken` by other tasks get an ending."""
        stem = re.sub(r"[^\w.-]+", "-", read.path.stem).strip("-") or "pairs"
        self.name = f"{stem}-pairs" if stem in taken else stem
        self.alphabet = read.alphabet
        self.unit = "symbols" if isinstance(read.alphabet, str) else "words"
        self.source = read.source
        self.read_from = read
        symbols = [self._lengths(example) for example in read.examples]
        try:
            self.tape = fit_tape(symbols)
        except UserError as error:
            raise UserError(f"{read.path}: {error}") from None
        self._by_size: dict[int, list[Example]] = {}
        for example, (size, _) in zip(read.examples, symbols, strict=True):
            self._by_size.setdefault(size, []).append(example)
        self._tapes_made: dict[int, tuple[NDArray[np.uint8], ...]] = {}
        self._answers = {example.input: example.answer for example in read.examples}
        self.trained_sizes, self.held_out_sizes = self._divide(most_cells)
        self._check_counts(most_cells)

    def _lengths(self, example: Example) -> tuple[int, int]:
        return len(split(example.input, self.alphabet)), len(split(example.answer, self.alphabet))

    def _divide(self, most_cells: int) -> tuple[list[int], list[int]]:
        """The sizes that are trained on, and those that are held out, each the smallest first."""
        trained = sorted(self._by_size)
        held = [size for size in trained if self.tape.cells(size) > most_cells]
        trained = trained[: len(trained) - len(held)]
        share, has_long = len(self._answers) / HELD_OUT, bool(held)
        while len(trained) > 1:
            kept = sum(len(self._by_size[size]) for size in held)
            half = len(self._by_size[trained[-1]]) / 2
            if kept >= min(share, FEWEST_HELD_OUT) if has_long else kept and kept + half >= share:
                break
            held.insert(0, trained.pop())
        return trained, held

    def _check_counts(self, most_cells: int) -> None:
        """Refuse a file that there is too little of to learn from, or that leaves nothing to hold out."""
        path, sizes = self.read_from.path, sorted(self._by_size)
        if not self.trained_sizes:
            first = self._by_size[sizes[0]][0]
            raise UserError(
                f"{path}: line {first.line} has the shortest input, and it takes {self.tape.cells(sizes[0])} cells; "
                f"training takes at most {most_cells}, so give shorter ones too"
            )
        if not self.held_out_sizes:
            raise UserError(
                f"{path}: all inputs have {sizes[0]} {self.unit}; give several lengths, since the longest are held out"
            )
        enough = False
        for size in self.trained_sizes:
            examples = self._by_size[size]
            if enough and len(examples) < FEWEST_OF_A_SIZE:
                raise UserError(
                    f"{path}: line {examples[0].line}: there are {len(examples)} inputs of {size} {self.unit}; give at "
                    f"least {FEWEST_OF_A_SIZE} of each length, or none"
                )
            enough |= len(examples) >= FEWEST_OF_A_SIZE
        if self.trained_count < FEWEST:
            raise UserError(
                f"{path}: {self.trained_count} examples are left to train on, of {self.trained_sizes[0]} to "
                f"{self.trained_sizes[-1]} {self.unit}; give at least {FEWEST}"
            )

    @property
    def trained_count(self) -> int:
        """The number of examples that are trained on."""
        return sum(len(self._by_size[size]) for size in self.trained_sizes)

    def summary(self) -> list[str]:
        """What was read, in lines: counts, alphabet, sizes, the tape, and what is held out."""
        read = self.read_from
        answers = [self._lengths(example)[1] for example in read.examples]
        exams, reported = len(self.held_out()), sum(len(self._report_half(size)) for size in self.held_out_sizes)
        unit, least, most = self.unit, min(self._by_size), max(self._by_size)
        return [
            f"{read.path}: {len(read.examples)} pairs, {read.repetitions} repeated lines",
            f"alphabet: {len(self.alphabet)} symbols, {' '.join(self.alphabet)}",
            f"inputs: {least} to {most} {unit}; answers: {min(answers)} to {max(answers)}",
            f"tape: {rule(self.tape)}",
            f"trained on: {self.trained_count} pairs of {_span(self.trained_sizes)} {unit}",
            f"held out: {exams + reported} pairs of {_span(self.held_out_sizes)} {unit}, never trained on; "
            f"{exams} for exams, {reported} for the report",
        ]

    # What there is of each size

    def nearest_size(self, size: int) -> int:
        """The largest size that is trained on and not above this one; the smallest where there is none."""
        return max((known for known in self.trained_sizes if known <= size), default=self.trained_sizes[0])

    def held_out(self) -> Sequence[tuple[str, str]]:
        """The half of the held-out pairs that exams may use."""
        return [pair for size in self.held_out_sizes for pair in self._shuffled(size)[1::2]]

    def report_sizes(self) -> Sequence[int]:
        """The largest size that is trained on, and those that are held out."""
        held = self.held_out_sizes
        if len(held) > SIZES_REPORTED:
            places = np.linspace(0, len(held) - 1, SIZES_REPORTED).round().astype(int)
            held = [held[place] for place in places]
        return [self.trained_sizes[-1], *held]

    def kept(self, size: int) -> Kept | None:
        """Pairs that were trained on, or the half of those held out that no exam has seen."""
        if size in self.trained_sizes:
            return Kept("trained", self._shuffled(size))
        return Kept("held out", self._report_half(size)) if size in self._by_size else None

    def _report_half(self, size: int) -> list[tuple[str, str]]:
        return self._shuffled(size)[::2]

    def _shuffled(self, size: int) -> list[tuple[str, str]]:
        """The pairs of a size in an order that is always the same, whatever the order of the lines."""
        pairs = [(example.input, example.answer) for example in self._by_size[size]]
        return sorted(pairs, key=lambda pair: hashlib.sha256(pair[0].encode()).digest())

    # What a task does

    def answer(self, text: str) -> str | None:
        """The answer in the file; None for an input that is not in it."""
        self.size(text)
        return self._answers.get(" ".join(text.split()) if self.unit == "words" else text)

    def random(self, rng: np.random.Generator, size: int) -> str:
        """An input that is trained on."""
        examples = self._by_size[self.nearest_size(size)]
        return examples[rng.integers(len(examples))].input

    def example(self) -> str:
        """A short input of the file."""
        return self._by_size[self.nearest_size(EXAMPLE_SIZE)][0].input

    def stress(self, size: int, rng: np.random.Generator) -> dict[str, str]:
        """None: a file has the inputs that it has."""
        return {}

    def draw(self, rng: np.random.Generator, count: int, size: int, mixture: Mixture) -> Batch:
        """Pairs of a size that are trained on, each as likely as the others."""
        inputs, targets = self._tapes(size)
        chosen = rng.integers(len(inputs), size=count)
        return Batch(inputs[chosen].astype(np.int64), targets[chosen].astype(np.int64))

    def _tapes(self, size: int) -> tuple[NDArray[np.uint8], ...]:
        """All pairs of a size on tapes, made when the size is first asked for."""
        if size not in self._tapes_made:
            cells = self.extent(size)
            pairs = [(example.input, example.answer) for example in self._by_size[size]]
            tapes = (np.concatenate([self._tape(text, cells) for text in part]) for part in zip(*pairs, strict=True))
            self._tapes_made[size] = tuple(part.astype(np.uint8) for part in tapes)
        return self._tapes_made[size]


def open_pairs(path: Path, most_cells: int, words: bool = False, taken: frozenset[str] = frozenset()) -> PairsTask:
    """The task in a file of examples; a UserError says what is wrong with the file."""
    return PairsTask(read_examples(path, words), most_cells, taken)


def _span(sizes: Sequence[int]) -> str:
    return f"{sizes[0]} to {sizes[-1]}" if len(sizes) > 1 else str(sizes[0])
