"""One trial: train a point as far as asked and score it. A plain function that may be called any number of times."""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from neuralgpu.errors import UserError
from neuralgpu.evaluation.report import Report, Score
from neuralgpu.evaluation.score import evaluate
from neuralgpu.network import Network
from neuralgpu.runs.directory import RunDirectory
from neuralgpu.runs.files import write_atomically
from neuralgpu.sweeps.directory import NO_ROOM, PointDirectory, StorageError, fingerprint, writing
from neuralgpu.sweeps.grid import Point
from neuralgpu.tasks import Task
from neuralgpu.training.config import TrainConfig, read_config
from neuralgpu.training.train import Progress, finish, go_on, make_trainer, task_of_run
from neuralgpu.training.trainer import Trainer

Ending = Literal["done", "at rung", "stopped", "failed"]

LONG_CELLS = 1000
"""Longer tapes are scored with a tenth of the random inputs and without stress inputs: each takes minutes."""


@dataclass(frozen=True)
class Trial:
    """All that a machine needs to train a point."""

    point: Point
    task: Task | None
    """None where the configuration names the file that it is read from, which all machines see"""
    config: TrainConfig
    sweep: Path
    """the sweep's directory, which all machines see"""
    fingerprint: str
    """of its sweep.json"""
    directory: Path
    """the point's own"""
    sizes: tuple[int, ...]
    count: int
    checkpoint_seconds: float
    until: int | None = None
    """the step at which it waits for the others; None trains to the end"""


def run_trial(
    trial: Trial,
    progress: Callable[[Progress], None] = lambda now: None,
    stop: Callable[[], bool] = lambda: False,
) -> Ending:
    """Train a point from its last checkpoint to its end or to a rung, and write its result at the end.

    What is done is not done again, and two processes do not work at one point: the second waits, and finds it done. A
    failure of the training is written down, not raised; a StorageError is, because it would meet every point.
    """
    if fingerprint(trial.sweep) != trial.fingerprint:
        raise StorageError(
            f"{os.uname().nodename} does not see the sweep in {trial.sweep}; put it on storage that all machines share"
        )
    directory = PointDirectory(trial.directory)
    with writing(trial.sweep), directory.locked():
        if directory.result():
            return "done"
        directory.note(began=os.getpid())
        try:
            return _train(trial, directory, progress, stop)
        except (Exception, SystemExit) as error:
            if isinstance(error, OSError) and error.errno in NO_ROOM:
                raise
            directory.note(failed=failure(error))
            return "failed"


def failure(error: BaseException) -> str:
    """An error in one line."""
    words = " ".join(str(error).split())[:300]
    return words if isinstance(error, UserError) else f"{type(error).__name__}: {words}"


def _train(
    trial: Trial, directory: PointDirectory, progress: Callable[[Progress], None], stop: Callable[[], bool]
) -> Ending:
    trainer = make_trainer(trial.config, trial.task or task_of_run(trial.config))
    run = _open_run(trial, trainer)

    def enough() -> bool:
        return stop() or (trial.until is not None and trainer.step >= trial.until)

    go_on(run, trainer, trial.checkpoint_seconds, progress, enough)
    if not trainer.finished:
        return "stopped" if stop() else "at rung"
    network, ended = finish(run, trainer, trial.sizes, count=0)
    report = scored(network, trial.sizes, trial.count, ended.report.training)
    write_atomically(run.path / "evaluation.json", (json.dumps(report.to_dict(), indent=2) + "\n").encode())
    directory.write_result(_result(trial, report, directory))
    return "done"


def _open_run(trial: Trial, trainer: Trainer) -> RunDirectory:
    """The run directory of a point, which goes on if it was begun with this very configuration."""
    config = replace(trial.config, engine=trainer.compute.engine, threads=trainer.compute.threads)
    if not (trial.directory / "config.json").exists():
        return RunDirectory.create(trial.directory, config.to_run())
    run = RunDirectory(trial.directory)
    if replace(read_config(run.config), threads=config.threads) != config:  # the bits do not depend on threads
        raise UserError(
            f"{trial.directory}/config.json is not that of point {trial.point.number}; remove the directory"
        )
    return run


def scored(network: Network, sizes: tuple[int, ...], count: int, training: Any) -> Report:
    """Scores from the smallest size up to the first at which a random input goes wrong; larger ones would too."""
    scores: list[Score] = []
    for size in sizes:
        is_long = network.task.length(size) > LONG_CELLS
        found = evaluate(network, size, max(1, count // 10) if is_long else count, stress=not is_long)
        scores += found.scores
        if any(score.exact < score.count for score in found.scores if score.inputs == "random"):
            break
    return replace(found, scores=tuple(scores), training=training)


def _result(trial: Trial, report: Report, directory: PointDirectory) -> dict[str, Any]:
    """What a sweep's report needs of a point; evaluation.json has the counter-examples besides."""
    last = directory.metrics()[-1]
    training = dict(report.training or {})
    numbers = ("inputs", "size", "count", "exact", "symbols", "right")
    return {
        "point": trial.point.number,
        "seed": trial.point.seed,
        "settings": dict(trial.point.settings),
        "steps": training["steps"],
        "seconds": last["seconds"],
        "training_exact": last["exact"],
        "milestone": training["milestone"],
        "command": training["command"],
        "scores": [{name: getattr(score, name) for name in numbers} for score in report.scores],
    }
