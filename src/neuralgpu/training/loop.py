"""The training loop: steps, metrics and checkpoints, until the recipe is done or someone asks to stop."""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from statistics import fmean

from tensorboardX import SummaryWriter

from neuralgpu.runs.directory import RunDirectory
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


def run(
    directory: RunDirectory, trainer: Trainer, checkpoint_seconds: float, stop: Callable[[], bool]
) -> Iterator[Metrics]:
    """Train until finished or stopped, go on from the last checkpoint if there is one, and save at the end."""
    spent = 0.0
    results: list[StepResult] = []  # since the last metrics
    saved = directory.latest()
    if saved:
        trainer.restore(*saved)
        spent = saved[1]["seconds"]
        results = [StepResult(**result) for result in saved[1]["results"]]
    directory.forget_metrics_after(trainer.step)
    begun = last_save = time.monotonic()

    def save() -> None:
        tensors, state = trainer.state()
        seconds = spent + time.monotonic() - begun
        state |= {"seconds": seconds, "results": [asdict(result) for result in results]}
        directory.save(trainer.step, tensors, trainer.model.state_dict(), state)
        directory.describe(trainer.config.to_run(trainer.network))

    events = SummaryWriter(str(directory.path), purge_step=trainer.step + 1)
    with directory.metrics_path.open("a") as record, events:
        while not (trainer.finished or stop()):
            results.append(trainer.train_step())
            if trainer.step % METRICS_EVERY == 0 or trainer.finished:
                metrics = _summary(trainer, results, spent + time.monotonic() - begun)
                results.clear()
                record.write(json.dumps(metrics.to_dict()) + "\n")
                record.flush()
                for name, value in metrics.to_dict().items():
                    events.add_scalar(name, value, trainer.step)
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
