"""A sweep as a function: what `ngpu sweep` and everyone else calls."""

import contextlib
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from neuralgpu.engine import EngineChoice
from neuralgpu.errors import UserError
from neuralgpu.evaluation.sizes import TRAINING_CELLS
from neuralgpu.sweeps.config import Sweep, make_sweep
from neuralgpu.sweeps.directory import SweepDirectory, writing
from neuralgpu.sweeps.grid import Point
from neuralgpu.sweeps.pruning import FINISHED, KEPT, RUNGS, rung_step, standing, verdict
from neuralgpu.sweeps.report import SweepReport, read_report
from neuralgpu.sweeps.serial import SerialEngine
from neuralgpu.sweeps.trial import Ending, Trial
from neuralgpu.tasks.learnable import learnable

EngineName = Literal["ray", "serial"]


class SweepEngine(Protocol):
    """What runs trials."""

    def run(
        self, queue: deque[Trial], tick: Callable[[], None], stop: Callable[[], bool]
    ) -> Iterator[tuple[Trial, Ending | str]]:
        """Each trial of the queue with how it ended; other words than an Ending's tell how a worker died."""

    def close(self) -> None:
        """Free what it has taken."""


@dataclass(frozen=True)
class Options:
    """How a sweep is run; nothing of it changes a result."""

    engine: EngineName = "ray"
    address: str | None = None
    """of a Ray cluster; None uses this machine"""
    parallel: int = 0
    """largest number of trials at a time; 0 takes one for each core"""
    retries: int = 2
    """times that a point is tried again after it failed without any progress"""
    checkpoint_seconds: float = 30.0

    def __post_init__(self) -> None:
        for name, least in (("parallel", 0), ("retries", 0), ("checkpoint_seconds", 0)):
            if getattr(self, name) < least:
                raise UserError(f"{name} is {getattr(self, name)}; it must be at least {least}")


def sweep(
    task: Any,
    axes: Mapping[str, Sequence[Any]] | None = None,
    recipe: str = "paper",
    *,
    grid: str = "",
    seeds: int = 1,
    seed: int = 0,
    out: str | Path | None = None,
    engine: EngineName = "ray",
    address: str | None = None,
    parallel: int = 0,
    threads: int = 1,
    prune: bool = True,
    retries: int = 2,
    compute: EngineChoice = "auto",
    device: str = "cpu",
    evaluate_sizes: Sequence[int] | None = None,
    evaluate_count: int = 100,
    checkpoint_seconds: float = 30.0,
    progress: Callable[[Path], None] = lambda path: None,
    stop: Callable[[], bool] = lambda: False,
    **settings: Any,
) -> SweepReport:
    """Train a task at every point of a grid and report how far each network generalises.

    `axes` gives the values of settings by the names of their flags: {"learning_rate": [1e-3, 3e-3]}; `settings` holds
    for all points. The directory is `out`, or sweeps/TASK-RECIPE. A call with the same arguments goes on where an
    earlier one was cut. `progress` is called about every second with the directory, `stop` too. A UserError says what
    is wrong with the input, before anything is trained.
    """
    task = learnable(task, TRAINING_CELLS)
    options = Options(engine, address, parallel, retries, checkpoint_seconds)
    planned = make_sweep(
        task,
        axes or {},
        recipe,
        grid=grid,
        seeds=seeds,
        seed=seed,
        prune=prune,
        compute=compute,
        device=device,
        threads=threads,
        sizes=evaluate_sizes,
        count=evaluate_count,
        settings=settings,
    )
    return run_sweep(planned, default_directory(planned) if out is None else Path(out), options, progress, stop)


def default_directory(planned: Sweep) -> Path:
    """sweeps/TASK-GRID, or sweeps/TASK-RECIPE where axes were given."""
    return Path("sweeps") / f"{planned.config.task}-{planned.config.grid or planned.config.recipe}"


def run_sweep(
    planned: Sweep,
    path: Path,
    options: Options,
    progress: Callable[[Path], None] = lambda path: None,
    stop: Callable[[], bool] = lambda: False,
) -> SweepReport:
    """Run what is not done yet of a sweep, and report."""
    place = path.absolute()
    found = SweepDirectory.find(place, planned.config)
    if found is None or _waiting(found, options):
        with contextlib.closing(make_engine(options, planned.config.threads)) as engine:
            directory = found or SweepDirectory.create(place, planned.config)
            Runner(planned, directory, options, engine, lambda: progress(path), stop).run()
    return read_report(path, options.retries)


def make_engine(options: Options, threads: int) -> SweepEngine:
    """The engine of this name; Ray is loaded only if it is asked for."""
    if options.engine == "serial":
        return SerialEngine()
    from neuralgpu.sweeps.cluster import RayEngine

    return RayEngine(options.address, options.parallel, threads)


def _waiting(directory: SweepDirectory, options: Options) -> list[Point]:
    """The points that are neither done, nor pruned, nor given up."""
    pruned = directory.pruned()
    points = (point for point in directory.config.points if point.number not in pruned)
    return [
        point
        for point in points
        if not directory.point(point.number).result() and not directory.point(point.number).given_up(options.retries)
    ]


@dataclass
class Runner:
    """Takes the points of a sweep from rung to rung to their ends."""

    planned: Sweep
    directory: SweepDirectory
    options: Options
    engine: SweepEngine
    tick: Callable[[], None]
    stop: Callable[[], bool]

    def run(self) -> None:
        """All that is left to do; decisions that were made are kept."""
        prunes = self.planned.config.prune and len(self.planned.config.points) > KEPT
        for rung in RUNGS if prunes else ():
            if self.directory.rung(rung) is None:
                self.train(rung)
                if self.stop():
                    return
                self.directory.write_rung(rung, verdict(rung, self.standings(rung)))
        self.train(None)

    def train(self, rung: int | None) -> None:
        """Take every waiting point to a rung, or to its end; a failure is tried again while its retries last."""
        trials = (self.trial(point, rung) for point in _waiting(self.directory, self.options))
        queue = deque(trial for trial in trials if not self.is_there(trial))
        for trial, ending in self.engine.run(queue, self.tick, self.stop):
            point = self.directory.point(trial.point.number)
            if ending in ("done", "at rung", "stopped"):
                continue
            if ending not in ("failed", "lost"):  # a worker that died could not write it down itself
                with writing(self.directory.path):
                    point.note(died=ending)
            if not point.result() and not point.given_up(self.options.retries):
                queue.append(trial)

    def trial(self, point: Point, rung: int | None) -> Trial:
        """What a machine needs to train a point so far."""
        config = self.planned.config
        own = config.points.point(point.number)  # with values of their own types, which sweep.json does not keep
        return Trial(
            point=own,
            task=None if self.planned.task.source else self.planned.task,
            config=self.planned.training(own),
            sweep=self.directory.path,
            fingerprint=self.directory.fingerprint,
            directory=self.directory.point(point.number).path,
            sizes=config.sizes,
            count=config.count,
            checkpoint_seconds=self.options.checkpoint_seconds,
            until=None if rung is None else rung_step(config.last_step(own), rung),
        )

    def is_there(self, trial: Trial) -> bool:
        """Whether a point has come to the rung in an earlier call."""
        return trial.until is not None and self.directory.point(trial.point.number).saved_step() >= trial.until

    def standings(self, rung: int) -> dict[int, tuple[float, float]]:
        """How far each point was at a rung; those that failed or were pruned before are left out."""
        config = self.planned.config
        waiting = {point.number for point in _waiting(self.directory, self.options)}
        found = {}
        for point in config.points:
            directory = self.directory.point(point.number)
            if directory.result():
                found[point.number] = FINISHED
            elif point.number in waiting:
                found[point.number] = standing(directory, rung_step(config.last_step(point), rung))
        return found
