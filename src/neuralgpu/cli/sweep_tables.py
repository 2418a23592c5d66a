"""Sweeps at the terminal: a live table while one runs, its points before, its summary after."""

import time
from pathlib import Path
from types import TracebackType

from rich.console import Console
from rich.live import Live
from rich.table import Table

from neuralgpu.cli.display import PLAIN_SECONDS
from neuralgpu.evaluation.report import percent
from neuralgpu.sweeps.config import SweepConfig
from neuralgpu.sweeps.estimate import Estimate
from neuralgpu.sweeps.report import SweepReport
from neuralgpu.sweeps.status import PointStatus, Status, read_status

LIVE_SECONDS = 2.0
"""Seconds between looks at the directory, at a terminal."""
LISTED = 20
"""Points that a table lists at most."""


class SweepDisplay:
    """Shows how far a sweep is: a table that changes on a terminal, a plain line now and then elsewhere."""

    def __init__(self, retries: int) -> None:
        self.retries = retries
        self.console = Console(stderr=True)
        self.every = LIVE_SECONDS if self.console.is_terminal else PLAIN_SECONDS
        self._live = Live(console=self.console, auto_refresh=False, transient=True)
        self._looked_at = time.monotonic()

    def __enter__(self) -> "SweepDisplay":
        if self.console.is_terminal:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def show(self, path: Path) -> None:
        """Look at the directory, if it is time."""
        if time.monotonic() - self._looked_at < self.every:
            return
        status = read_status(path, self.retries)
        if self.console.is_terminal:
            self._live.update(status_table(status), refresh=True)
        else:
            self.console.print(one_line(status), highlight=False, markup=False, soft_wrap=True)
        self._looked_at = time.monotonic()


def one_line(status: Status) -> str:
    """The status in a line."""
    states = ", ".join(f"{count} {state}" for state, count in status.counts.items() if count or state == "done")
    best = f"; best so far: {_standing(status.best, status)}" if status.best else ""
    return f"{status.task} ({status.recipe}): {states} of {len(status.points)} points{best}; {_left(status)}"


def status_table(status: Status) -> Table:
    """The points that run and those that failed, under the numbers of all."""
    table = Table(title=one_line(status), title_justify="left", title_style="")
    for heading in ("point", "state", "step", "curriculum", "exact in training", "problem"):
        table.add_column(heading)
    shown = [point for point in status.points if point.state == "running" or point.problem]
    for point in shown[:LISTED]:
        table.add_row(
            str(point.number),
            point.state,
            f"{point.step}/{point.last_step}",
            "" if point.size is None else f"{point.size:g}",
            "" if point.exact is None else percent(point.exact),
            point.problem or "",
        )
    if len(shown) > LISTED:
        table.add_row("...", f"{len(shown) - LISTED} more", "", "", "", "")
    return table


def print_status(status: Status) -> None:
    """The status, for people."""
    table = status_table(status)
    if table.row_count:
        Console().print(table)
    else:
        print(one_line(status))


def print_points(config: SweepConfig, found: Estimate) -> None:
    """What a sweep would train, and how long that takes."""
    table = Table()
    for heading in ("point", "digits", "seed", *(axis.name for axis in config.axes)):
        table.add_column(heading, justify="right")
    for point in config.points:
        table.add_row(str(point.number), point.digits, str(point.seed), *map(str, point.settings.values()))
    Console().print(table)
    pruned = "with pruning" if config.prune else "without pruning"
    print(
        f"{found.points} points, {found.steps:,.0f} steps at most {pruned}, {found.seconds_per_step * 1000:.0f} ms a "
        f"step at the largest size, {found.parallel} at a time: at most {hours(found.hours)}, scoring not counted"
    )


def print_summary(report: SweepReport) -> None:
    """The statistic of the paper and the best point."""
    counts, unit = report.status.counts, report.config.unit
    table = Table(title=one_line(report.status), title_justify="left", title_style="")
    table.add_column("finished points without an error at")
    for size in report.config.sizes:
        table.add_column(f"{size} {unit}", justify="right")
    table.add_row("", *(f"{count} of {counts['done']}" for count in report.exact_counts().values()))
    Console().print(table)
    if report.ranked:
        best = report.ranked[0]
        print(f"best point: {best.number} in {report.path(best)}")
        print(f"again: {(best.result or {})['command']}")


def hours(number: float) -> str:
    """Hours as people say them.

    >>> hours(0.011), hours(2.55), hours(1234.4)
    ('40 seconds', '2.5 hours', '1,234 hours')
    """
    if number < 1 / 30:
        return f"{number * 3600:.0f} seconds"
    if number < 2:
        return f"{number * 60:.0f} minutes"
    return f"{number:.1f} hours" if number < 100 else f"{number:,.0f} hours"


def _left(status: Status) -> str:
    if status.seconds_left is None:
        return "time left not known yet"
    return f"at most {hours(status.seconds_left / 3600)} left" if status.seconds_left else "nothing left to train"


def _standing(point: PointStatus | None, status: Status) -> str:
    if point is None:
        return ""
    scores = [score for score in (point.result or {}).get("scores", []) if score["inputs"] == "random"]
    if scores:
        last = scores[-1]
        return f"point {point.number}, {last['exact']}/{last['count']} exact at size {last['size']}"
    at = "" if point.size is None else f" at curriculum size {point.size:g}"
    return f"point {point.number}, {percent(point.exact or 0.0)} exact in training{at}"
