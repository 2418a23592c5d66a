"""Training as it goes: a live line on a terminal, a plain line now and then elsewhere."""

import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn

from neuralgpu.training.loop import Metrics
from neuralgpu.training.train import Progress as TrainingProgress
from neuralgpu.training.trainer import Milestone

PLAIN_SECONDS = 10.0
"""Seconds between plain lines."""


class TrainingDisplay:
    """Shows metrics; use it as a context."""

    def __init__(self, label: str) -> None:
        """`label` stands before every line."""
        self.label = label
        self.console = Console(stderr=True)
        self.live = self.console.is_terminal
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=20),
            TextColumn("{task.fields[line]}"),
            console=self.console,
            disable=not self.live,
        )
        self._bar = self._progress.add_task(self.label, total=1, line="starting")
        self._evaluated: dict[int, TaskID] = {}
        self._first: Metrics | None = None
        self._printed_at = -PLAIN_SECONDS

    def __enter__(self) -> "TrainingDisplay":
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def show(self, now: TrainingProgress) -> None:
        """Show the newest metrics."""
        self._first = self._first or now.metrics
        far = now.trainer.milestone()
        line = f"{far.words}  {_numbers(self._first, now.metrics, far)}"
        self._progress.update(self._bar, completed=far.done, total=far.total, line=line)
        if not self.live and time.monotonic() - self._printed_at >= PLAIN_SECONDS:
            self.say(f"{self.label}: {line}")
            self._printed_at = time.monotonic()

    def show_evaluation(self, size: int, done: int, total: int) -> None:
        """Show how many inputs of a size are scored; each has its own bar, since work grows with the square of it."""
        if size not in self._evaluated:
            for bar in (self._bar, *self._evaluated.values()):
                self._progress.update(bar, visible=False)
            self._evaluated[size] = self._progress.add_task(self.label, total=total, line="")
        words = f"evaluating size {size}: {done} of {total} inputs"
        self._progress.update(self._evaluated[size], completed=done, line=words)

    def say(self, text: str) -> None:
        """Print a line above the live display."""
        self._progress.console.print(text, highlight=False, markup=False, soft_wrap=True)


def _numbers(first: Metrics, now: Metrics, far: Milestone) -> str:
    rate = (now.step - first.step) / max(now.seconds - first.seconds, 1e-9)
    left = f"at most {_clock(far.steps_left / rate)} left" if rate > 0 else "estimating time"
    if far.attempts_left:
        left += f" in this attempt, with at most {far.attempts_left} to follow"
    return f"step {now.step}  loss {now.loss:.4f}  exact {now.exact:.1%}  {rate:.1f} steps/s  {left}"


def _clock(seconds: float) -> str:
    """Hours, minutes and seconds.

    >>> _clock(3725)
    '1:02:05'
    """
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{seconds:02d}"
