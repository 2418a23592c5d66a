"""A bar for work that takes longer than a moment, on a terminal."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeRemainingColumn

from neuralgpu.network import Progress as StepsProgress

PATIENCE = 0.5
"""Seconds before there is a bar: what is done by then needs none."""


@contextmanager
def steps_progress(label: str) -> Iterator[StepsProgress]:
    """What to tell the steps that are done; it leaves nothing on the screen."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    bars = Progress(*columns, console=console, transient=True)
    began, bar = time.monotonic(), TaskID(-1)

    def show(done: int, total: int) -> None:
        nonlocal bar
        if bar < 0:
            if not console.is_terminal or time.monotonic() - began < PATIENCE:
                return
            bars.start()
            bar = bars.add_task(label, total=total)
        bars.update(bar, completed=done)

    try:
        yield show
    finally:
        if bar >= 0:
            bars.stop()
