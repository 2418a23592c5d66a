"""Training as it goes: a live line on a terminal, a plain line now and then elsewhere."""

import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from neuralgpu.training.loop import Metrics
from neuralgpu.training.trainer import Trainer

PLAIN_SECONDS = 10.0
"""Seconds between plain lines."""


class TrainingDisplay:
    """Shows metrics; use it as a context."""

    def __init__(self, trainer: Trainer) -> None:
        self.console = Console(stderr=True)
        self.label = f"{trainer.task.name} ({trainer.config.recipe})"
        self.largest, self.unit = trainer.curriculum.largest, trainer.task.unit
        self.max_steps = trainer.recipe.max_steps
        self.live = self.console.is_terminal
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=20),
            TextColumn("{task.fields[line]}"),
            console=self.console,
            disable=not self.live,
        )
        self._bar = self._progress.add_task(self.label, total=self.largest, line="starting")
        self._first: Metrics | None = None
        self._printed_at, self._printed_size = 0.0, 0

    def __enter__(self) -> "TrainingDisplay":
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def show(self, metrics: Metrics) -> None:
        """Show the newest metrics."""
        self._first = self._first or metrics
        line = self._line(metrics)
        self._progress.update(self._bar, completed=metrics.size, line=line)
        moved_on = metrics.size != self._printed_size
        if not self.live and (moved_on or time.monotonic() - self._printed_at >= PLAIN_SECONDS):
            self.say(f"{self.label}: {line}")
            self._printed_at, self._printed_size = time.monotonic(), metrics.size

    def say(self, text: str) -> None:
        """Print a line above the live display."""
        self._progress.console.print(text, highlight=False, markup=False, soft_wrap=True)

    def _line(self, now: Metrics) -> str:
        assert self._first is not None
        rate = (now.step - self._first.step) / max(now.seconds - self._first.seconds, 1e-9)
        left = f"at most {_clock((self.max_steps - now.step) / rate)} left" if rate > 0 else "estimating time"
        relaxed = f"pull {now.pull:.2g} on {now.sets} sets" if now.sets > 1 else "one set"
        return (
            f"{now.size}/{self.largest} {self.unit}  step {now.step}  loss {now.loss:.4f}  "
            f"exact {now.exact:.1%}  {relaxed}  {rate:.1f} steps/s  {left}"
        )


def _clock(seconds: float) -> str:
    """Hours, minutes and seconds.

    >>> _clock(3725)
    '1:02:05'
    """
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{seconds:02d}"
