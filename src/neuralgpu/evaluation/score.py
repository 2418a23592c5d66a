"""Scoring a network on random and on stress inputs: exact and per symbol, with counter-examples."""

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from neuralgpu.evaluation.bounds import lower_bound
from neuralgpu.network import Network
from neuralgpu.streams import Stream, stream
from neuralgpu.tasks import Batch

Kind = Literal["random", "stress"]

DRAWN = 10
"""Random inputs drawn at a time: a constant, so that the seed alone decides them."""
KEPT = 5
"""Counter-examples kept for each size."""


@dataclass(frozen=True)
class CounterExample:
    """An input with a wrong output."""

    input: str
    expected: str
    got: str


@dataclass(frozen=True)
class Score:
    """What a network did on inputs of one size."""

    inputs: Kind
    size: int
    length: int
    """n, the cells of the tape"""
    count: int
    exact: int
    """outputs with every cell right, PAD included"""
    symbols: int
    """cells in all"""
    right: int
    """cells that are right"""
    counter_examples: tuple[CounterExample, ...]

    @property
    def exact_bound(self) -> float | None:
        """The share of exact outputs that the true one exceeds with 95 % confidence; chosen inputs have none."""
        return lower_bound(self.exact, self.count) if self.inputs == "random" else None

    @property
    def symbol_share(self) -> float:
        """The share of right cells."""
        return self.right / self.symbols

    def to_dict(self) -> dict[str, Any]:
        """The score as plain data, shares and bound included."""
        shares = {"exact_share": self.exact / self.count, "exact_bound_95": self.exact_bound}
        return asdict(self) | shares | {"symbol_share": self.symbol_share}


def evaluate(
    network: Network, size: int, count: int, seed: int = 0, progress: Callable[[int], None] = lambda done: None
) -> Score:
    """Score `count` random inputs of one size; `progress` is told how many more are done."""
    rng = stream(seed, Stream.EVALUATION, size)
    counts = (min(DRAWN, count - start) for start in range(0, count, DRAWN))
    return _score(network, "random", size, (network.task.sample(rng, some, size) for some in counts), progress)


def evaluate_stress(
    network: Network, size: int, seed: int = 0, progress: Callable[[int], None] = lambda done: None
) -> Score:
    """Score the stress inputs of one size."""
    task = network.task
    texts = task.stress(size, stream(seed, Stream.STRESS, size)).values()
    batches = (Batch(task.encode(text), task.encode_answer(text)) for text in texts)
    return _score(network, "stress", size, batches, progress)


def _score(
    network: Network, inputs: Kind, size: int, batches: Iterable[Batch], progress: Callable[[int], None]
) -> Score:
    task = network.task
    count = exact = right = 0
    wrong: list[CounterExample] = []
    for batch in batches:
        outputs = network.answers(batch.inputs)
        correct = outputs == batch.targets  # (some, n)
        count += len(outputs)
        right += int(correct.sum())
        exact += int(correct.all(axis=1).sum())
        for row in np.flatnonzero(~correct.all(axis=1))[: KEPT - len(wrong)]:
            wrong.append(CounterExample(*(task.decode(tapes[row]) for tapes in (*batch, outputs))))
        progress(len(outputs))
    length = task.length(size)
    return Score(inputs, size, length, count, exact, count * length, right, tuple(wrong))
