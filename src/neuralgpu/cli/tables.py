"""Scoring with a progress bar, and a report at the terminal."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bars
from rich.table import Table

from neuralgpu.evaluation.report import Report
from neuralgpu.evaluation.score import Progress, evaluate
from neuralgpu.network import Network


@contextmanager
def evaluation_progress(unit: str) -> Iterator[Progress]:
    """A progress bar for `evaluate`, on a terminal; work grows with the square of the size, so each has its own."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    bars: dict[int, TaskID] = {}
    with Bars(*columns, console=console, transient=True, disable=not console.is_terminal) as shown:

        def show(size: int, done: float, total: int) -> None:
            if size not in bars:
                for bar in bars.values():
                    shown.update(bar, visible=False)
                bars[size] = shown.add_task(f"evaluating {size} {unit}", total=total)
            shown.update(bars[size], completed=done)

        yield show


def evaluate_with_progress(
    network: Network, sizes: int | Iterable[int], count: int, seed: int, stress: bool = True
) -> Report:
    """The report on a network, with a progress bar."""
    with evaluation_progress(network.task.unit) as progress:
        return evaluate(network, sizes, count, seed, stress=stress, progress=progress)


def print_report(report: Report) -> None:
    """A table of the scores, and the shortest counter-example below it."""
    table = Table(title=report.task)
    for heading in report.headings:
        lines = heading.rsplit(" ", 1) if report.tells_settled else [heading]  # so that all columns fit on 80
        table.add_column("\n".join(lines), justify="right")
    for row in report.rows():
        table.add_row(*row)
    Console().print(table)
    for line in report.counter_example_lines():
        print(line)
