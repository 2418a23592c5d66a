"""The training loop: steps, metrics and checkpoints, until the recipe is done or someone asks to stop."""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from statistics import fmean
from typing import Any

from torch import Tensor

from neuralgpu.runs.config import parse
from neuralgpu.runs.directory import Record, RunDirectory
from neuralgpu.training.events import Events
from neuralgpu.training.trainer import StepResult, Trainer

METRICS_EVERY = 10
"""Steps that one line of metrics stands for."""


@dataclass(frozen=True)
class Metrics:
    """The state of a run after a step, with means over the steps since the last metrics."""

    step: int
    seconds: float
    """spent in training, over all resumptions"""
    loss: float
    exact: float
    symbol: float
    learning_rate: float
    gauges: dict[str, float]
    """what the recipe shows besides"""

    def to_dict(self) -> dict[str, float]:
        """All numbers by name."""
        numbers: dict[str, float] = asdict(self)
        del numbers["gauges"]
        return numbers | self.gauges


@dataclass(frozen=True)
class _Saved:
    """What a checkpoint's state holds: the trainer's, and the loop's."""

    step: int = 0
    counters: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    results: list[StepResult] = field(default_factory=list)
    """of the steps since the last metrics"""
    record: Record | None = None
    """how far the metrics were written"""


def run(
    directory: RunDirectory, trainer: Trainer, checkpoint_seconds: float, stop: Callable[[], bool]
) -> Iterator[Metrics]:
    """Train until finished or stopped, go on from the last checkpoint if there is one, and save at the end."""
    with directory.lock():
        try:
            yield from _run(directory, trainer, checkpoint_seconds, stop)
        except OSError as error:  # a full disk, whose error names no file
            error.filename = error.filename or str(directory.path)
            raise


def _run(
    directory: RunDirectory, trainer: Trainer, checkpoint_seconds: float, stop: Callable[[], bool]
) -> Iterator[Metrics]:
    saved = _Saved()

    def take(tensors: dict[str, Tensor], state: dict[str, Any]) -> None:
        nonlocal saved
        saved = parse(_Saved, {"record": None, **state})  # an earlier version did not write a record
        trainer.restore(tensors, state)

    directory.restore(take)
    results = list(saved.results)
    directory.forget_metrics_after(trainer.step, saved.record)
    begun = last_save = time.monotonic()

    def save() -> None:
        tensors, state = trainer.state()
        state |= {
            "seconds": saved.seconds + time.monotonic() - begun,
            "results": [asdict(result) for result in results],
            "record": asdict(directory.record()),
        }
        directory.describe(trainer.network)
        directory.save(trainer.step, tensors, trainer.model.state_dict(), state)

    with directory.metrics_path.open("a") as record, Events(directory.path, trainer.step + 1) as events:
        while not (trainer.finished or stop()):
            results.append(trainer.train_step())
            if trainer.step % METRICS_EVERY == 0 or trainer.finished:
                metrics = _summary(trainer, results, saved.seconds + time.monotonic() - begun)
                results.clear()
                record.write(json.dumps(metrics.to_dict()) + "\n")
                record.flush()
                events.add(trainer.step, metrics.to_dict())
                yield metrics
            if time.monotonic() - last_save >= checkpoint_seconds:
                save()
                last_save = time.monotonic()
    save()  # not after an error: a step that was cut in the middle is not worth keeping


def _summary(trainer: Trainer, results: list[StepResult], seconds: float) -> Metrics:
    return Metrics(
        step=trainer.step,
        seconds=round(seconds, 3),
        loss=fmean(r.loss for r in results),
        exact=fmean(r.exact for r in results),
        symbol=fmean(r.symbol for r in results),
        learning_rate=trainer.learning_rate,
        gauges=trainer.gauges(),
    )
