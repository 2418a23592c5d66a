"""What the best points of a sweep are worth, alone and as an ensemble, on inputs that chose none of them."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from neuralgpu.errors import UserError
from neuralgpu.evaluation.report import Report
from neuralgpu.evaluation.score import Progress, evaluate
from neuralgpu.network import Ensemble, load
from neuralgpu.runs.config import load_config
from neuralgpu.sweeps.report import SweepReport
from neuralgpu.tasks import Task
from neuralgpu.training.config import read_config
from neuralgpu.training.train import task_of_run

EVALUATION_SEED = 1
"""The points were ranked on the inputs of seed 0."""


@dataclass(frozen=True)
class Taken:
    """The best points of a sweep."""

    paths: tuple[Path, ...]
    """their run directories, the best first"""
    reports: tuple[Report, ...]
    """one of each, or a single one of the ensemble"""


def take(
    report: SweepReport,
    best: int = 5,
    *,
    ensemble: bool = False,
    sizes: Iterable[int] | None = None,
    count: int = 100,
    seed: int = EVALUATION_SEED,
    threads: int = 0,
    task: Task | None = None,
    progress: Progress | None = None,
) -> Taken:
    """Evaluate the best finished points one by one, or as an ensemble whose outputs are averaged.

    By default at those sizes of the sweep that take at most 1000 cells; `task` is needed where it is neither one of
    `ngpu tasks` nor in the file that it was read from.
    """
    if best < 1:
        raise UserError(f"best is {best}; it must be at least 1")
    paths = tuple(report.best[:best])
    if len(paths) < best:
        raise UserError(f"{len(paths)} points of {report.directory} are finished; ask for at most as many, not {best}")
    training = read_config(load_config(paths[0] / "config.json"))
    if task is None and training.source:
        task = task_of_run(training)
    networks = [load(path, threads=threads, task=task) for path in paths]
    if sizes is None:
        sizes = [size for size in report.config.sizes if networks[0].task.length(size) <= 1000]
    chosen = list(sizes)
    judged = [Ensemble(networks)] if ensemble else networks
    return Taken(paths, tuple(evaluate(network, chosen, count, seed, progress=progress) for network in judged))
