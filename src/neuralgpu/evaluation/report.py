"""What an evaluation found: scores at each size, as data, as rows of a table and as Markdown."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import zip_longest
from typing import Any, Literal, Self

from pydantic import TypeAdapter, ValidationError

from neuralgpu.errors import UserError
from neuralgpu.evaluation.bounds import lower_bound
from neuralgpu.evaluation.former import modernised

Kind = Literal["random", "stress", "trained", "held out", "file"]
"""Which inputs were scored: made at random, chosen to be hard, or from a file, whose lines may have been trained on,
held out, or neither."""

WIDTH = 72
"""Symbols of a counter-example that are shown."""


@dataclass(frozen=True)
class CounterExample:
    """An input with a wrong output."""

    input: str
    expected: str
    got: str
    words: bool = False
    """symbols are words, with a space between them"""

    @property
    def wrong_at(self) -> int:
        """The first position at which the output is wrong, in symbols."""
        pairs = zip_longest(*((text.split(" ") if self.words else text) for text in (self.expected, self.got)))
        return next(position for position, (one, other) in enumerate(pairs) if one != other)

    @property
    def marked_at(self) -> int:
        """The same in characters."""
        if not self.words or not self.wrong_at:
            return self.wrong_at
        return len(" ".join(self.expected.split(" ")[: self.wrong_at])) + 1


@dataclass(frozen=True)
class Score:
    """What a network did on inputs of one size."""

    inputs: Kind
    size: int
    """in the task's own unit"""
    cells: int
    """of the tape"""
    count: int
    exact: int
    """outputs with every cell right, PAD included"""
    symbols: int
    """cells of all tapes"""
    right: int
    """cells that are right"""
    counter_examples: tuple[CounterExample, ...] = ()
    wrong_settled: int | None = None
    """wrong outputs that settled all the same; None for a network that cannot tell"""
    right_unsettled: int | None = None
    """exact outputs that did not settle; None for a network that cannot tell"""

    def __post_init__(self) -> None:
        for part, whole in ((self.exact, self.count), (self.right, self.symbols)):
            if whole < 1 or not 0 <= part <= whole:
                raise ValueError(f"{part} of {whole} cannot be right")
        for some, all_such in ((self.wrong_settled, self.count - self.exact), (self.right_unsettled, self.exact)):
            if some is not None and not 0 <= some <= all_such:
                raise ValueError(f"{some} of {all_such} cannot have settled or not")

    @property
    def exact_share(self) -> float:
        """The share of exact outputs."""
        return self.exact / self.count

    @property
    def exact_bound(self) -> float | None:
        """The share of exact outputs that the true one exceeds with 95 % confidence; chosen inputs, and those that were
        trained on, have none."""
        return None if self.inputs in ("stress", "trained") else lower_bound(self.exact, self.count)

    @property
    def symbol_share(self) -> float:
        """The share of right cells."""
        return self.right / self.symbols

    def to_dict(self) -> dict[str, Any]:
        """The score as plain data, shares and bound included."""
        shares = {"exact_share": self.exact_share, "exact_bound_95": self.exact_bound}
        data = asdict(self) | shares | {"symbol_share": self.symbol_share}
        if self.wrong_settled is None:
            del data["wrong_settled"], data["right_unsettled"]
        return data


@dataclass(frozen=True)
class Report:
    """The scores of one network, and where it comes from."""

    task: str
    unit: str
    """what sizes count: bits, symbols"""
    evaluation_seed: int | None
    """decides the inputs; None where it was not written down"""
    scores: tuple[Score, ...]
    training: Mapping[str, Any] | None = None
    """how the network came about, where that is known: its command, steps, minutes and more"""

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data: what evaluation.json holds and `ngpu evaluate --json` prints."""
        return {
            "task": self.task,
            "unit": self.unit,
            "evaluation_seed": self.evaluation_seed,
            "scores": [score.to_dict() for score in self.scores],
            "training": None if self.training is None else dict(self.training),
        }

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """The report in plain data, that of earlier versions included; a UserError says what is wrong with it."""
        try:
            return TypeAdapter(cls).validate_python(modernised(data))
        except ValidationError as error:
            problem = error.errors()[0]
            place = ".".join(str(part) for part in problem["loc"])
            raise UserError(f"{place + ': ' if place else ''}{problem['msg']}") from None

    @property
    def headings(self) -> tuple[str, ...]:
        """What stands above the columns of `rows`."""
        of_settled = ("wrong, settled", "right, unsettled") if self.tells_settled else ()
        return (self.unit, "inputs", "exact", "95 % bound", "symbols right", *of_settled)

    @property
    def tells_settled(self) -> bool:
        """Whether the network can tell that an answer did not settle."""
        return any(score.wrong_settled is not None for score in self.scores)

    def rows(self) -> list[tuple[str, ...]]:
        """A row for the random and one for the stress inputs of each size."""
        return [
            (
                str(score.size),
                score.inputs,
                f"{score.exact}/{score.count} = {percent(score.exact_share)}",
                "" if score.exact_bound is None else f"> {floor_percent(score.exact_bound)}",
                percent(score.symbol_share),
                *((_of(score.wrong_settled, score.count - score.exact),) if self.tells_settled else ()),
                *((_of(score.right_unsettled, score.exact),) if self.tells_settled else ()),
            )
            for score in self.scores
        ]

    def records(self) -> list[dict[str, Any]]:
        """The scores as plain data, a row each, for a table of one's own."""
        rows = [score.to_dict() for score in self.scores]
        return [
            {"task": self.task, "unit": self.unit} | row | {"counter_examples": len(row["counter_examples"])}
            for row in rows
        ]

    def markdown(self) -> str:
        """The same rows as a Markdown table."""
        lines = [self.headings, ("---",) * len(self.headings), *self.rows()]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)

    def exact_scores(self) -> tuple[Score, ...]:
        """The scores of the largest size up to which every output was exact; none where there is no such size."""
        found: tuple[Score, ...] = ()
        for size in sorted({score.size for score in self.scores}):
            scores = tuple(score for score in self.scores if score.size == size)
            if any(score.exact < score.count for score in scores):
                break
            found = scores
        return found

    def counter_example_lines(self) -> list[str]:
        """The shortest counter-example; of a long one, the part around its first wrong symbol."""
        found = [example for score in self.scores for example in score.counter_examples]
        if not found:
            return []
        example = min(found, key=lambda example: len(example.input))
        wrong = example.marked_at
        longest = max(len(example.input), len(example.expected), len(example.got))
        start = max(0, min(wrong - WIDTH // 2, longest - WIDTH))
        rows = (("input", example.input), ("expected", example.expected), ("got", example.got))
        lines = [f"  {name:<10}{text[start : start + WIDTH]}" for name, text in rows]
        place = f" from position {start}" if start else ""
        title = f"shortest counter-example{place}, wrong at position {example.wrong_at}:"
        return [title, *lines, " " * (12 + wrong - start) + "^"]


def _of(part: int | None, whole: int) -> str:
    return f"{part}/{whole}" if part is not None and whole else ""


def percent(share: float) -> str:
    """A share as a percentage, rounded; 100 only when nothing is missing, and 0 only when nothing is right.

    >>> percent(13 / 15), percent(1.0), percent(0.99999), percent(0.0), percent(1e-9)
    ('86.67 %', '100 %', '99.99 %', '0 %', '0.01 %')
    """
    if share in (0, 1):
        return f"{share:.0%}".replace("%", " %")
    return f"{min(max(share * 100, 0.01), 99.99):.2f} %"


def floor_percent(bound: float) -> str:
    """A lower bound as a percentage; rounded down, because a bound that is rounded up claims too much.

    >>> floor_percent(0.97048), floor_percent(0.57)
    ('97.04 %', '57.00 %')
    """
    return f"{math.floor(bound * 10_000 + 1e-6) / 100:.2f} %"
