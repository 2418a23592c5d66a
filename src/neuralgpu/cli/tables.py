"""Scoring with a progress bar, and scores as a table."""

import math
from collections.abc import Sequence
from functools import partial
from itertools import zip_longest

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from neuralgpu.errors import UserError
from neuralgpu.evaluation.score import Score, evaluate, evaluate_stress
from neuralgpu.network import Network
from neuralgpu.streams import Stream, stream
from neuralgpu.tasks import Task


def chosen_sizes(task: Task, sizes: Sequence[int], lengths: Sequence[int]) -> list[int]:
    """Sizes as given, and for each length the largest size that fits, slack aside."""
    for name, numbers in (("size", sizes), ("length", lengths)):
        for number in numbers:
            if number < 1:
                raise UserError(f"{name} {number} is too small; it must be at least 1")
    fitting = [task.largest_size(length) for length in lengths]
    for length, size in zip(lengths, fitting, strict=True):
        if size == 0:
            raise UserError(f"length {length} is too short for {task.name}; it takes at least {task.extent(1)} cells")
    return sorted({*sizes, *fitting})


def evaluate_sizes(network: Network, sizes: Sequence[int], count: int, seed: int) -> list[Score]:
    """Scores of random and of stress inputs at each size, with a progress bar on a terminal."""
    if count < 1:
        raise UserError(f"count is {count}; it must be at least 1")
    console = Console(stderr=True)
    scores = []
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        # Work grows with the square of the length; a bar for each size keeps the estimate of time honest.
        for size in sizes:
            stress = len(network.task.stress(size, stream(seed, Stream.STRESS, size)))
            bar = progress.add_task(f"evaluating {size} {network.task.unit}", total=count + stress)
            scores.append(evaluate(network, size, count, seed, partial(progress.advance, bar)))
            scores.append(evaluate_stress(network, size, seed, partial(progress.advance, bar)))
            progress.remove_task(bar)
    return scores


def score_table(task: Task, scores: Sequence[Score]) -> Table:
    """A row for the random and one for the stress inputs of each size."""
    table = Table(title=task.name)
    for heading in (task.unit, "length", "inputs", "exact", "95 % bound", "symbols right"):
        table.add_column(heading, justify="right")
    for score in scores:
        table.add_row(
            str(score.size),
            str(score.length),
            score.inputs,
            f"{score.exact}/{score.count} = {percent(score.exact / score.count)}",
            "" if score.exact_bound is None else f"> {percent(score.exact_bound)}",
            percent(score.symbol_share),
        )
    return table


def counter_example_lines(scores: Sequence[Score], width: int = 72) -> list[str]:
    """The shortest counter-example; of a long one, the part around its first wrong symbol."""
    example = next((example for score in scores for example in score.counter_examples), None)
    if example is None:
        return []
    wrong = first_difference(example.expected, example.got)
    longest = max(len(example.input), len(example.expected), len(example.got))
    start = max(0, min(wrong - width // 2, longest - width))
    rows = (("input", example.input), ("expected", example.expected), ("got", example.got))
    lines = [f"  {name:<10}{text[start : start + width]}" for name, text in rows]
    place = f" from position {start}" if start else ""
    title = f"shortest counter-example{place}, wrong at position {wrong}:"
    return [title, *lines, " " * (12 + wrong - start) + "^"]


def first_difference(one: str, other: str) -> int:
    """The first position at which two texts differ.

    >>> first_difference("0110", "0010"), first_difference("01", "011")
    (1, 2)
    """
    pairs = zip_longest(one, other)
    return next(position for position, (a, b) in enumerate(pairs) if a != b)


def percent(share: float) -> str:
    """A percentage that says 100 only when nothing is missing.

    >>> percent(1.0), percent(0.99999), percent(57 / 100)
    ('100 %', '99.99 %', '57.00 %')
    """
    return "100 %" if share == 1 else f"{math.floor(share * 10_000 + 1e-6) / 100:.2f} %"
