"""Training as a function: what `ngpu train` and everyone else calls."""

import itertools
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from neuralgpu.engine import EngineChoice
from neuralgpu.errors import UserError
from neuralgpu.evaluation.report import Report
from neuralgpu.evaluation.score import Progress as EvaluationProgress
from neuralgpu.evaluation.score import evaluate
from neuralgpu.evaluation.sizes import checked_sizes, usual_sizes
from neuralgpu.network import Network, load
from neuralgpu.runs.directory import RunDirectory
from neuralgpu.runs.files import write_atomically
from neuralgpu.tasks import ForeignTask, Task, get_task, open_task
from neuralgpu.training.baseline_settings import LSTMAttentionSettings, StackRNNSettings
from neuralgpu.training.config import TrainConfig, configure, read_config, train_command, with_settings
from neuralgpu.training.loop import Metrics, run
from neuralgpu.training.lstm_attention import LSTMAttentionTrainer
from neuralgpu.training.paper import PaperTrainer
from neuralgpu.training.recipes import get_recipe
from neuralgpu.training.settings import PaperSettings
from neuralgpu.training.stack_rnn import StackRNNTrainer
from neuralgpu.training.staged import StagedTrainer
from neuralgpu.training.trainer import Trainer


@dataclass(frozen=True)
class Progress:
    """What the callback of a training is told every ten steps."""

    trainer: Trainer
    metrics: Metrics


@dataclass(frozen=True)
class TrainResult:
    """How a training ended."""

    directory: Path
    """config.json, metrics, checkpoints, weights and evaluation.json"""
    finished: bool
    """False where it was stopped on the way; `resume` goes on"""
    report: Report
    """the scores, and what is known about the training: command, steps, minutes, exam"""


class Trained(NamedTuple):
    """A network and how its training ended."""

    network: Network
    result: TrainResult


def train(
    task: Task | str,
    recipe: str = "paper",
    seed: int = 0,
    out: str | Path | None = None,
    *,
    engine: EngineChoice = "auto",
    threads: int = 0,
    device: str = "cpu",
    evaluate_sizes: Sequence[int] | None = None,
    evaluate_count: int = 100,
    checkpoint_seconds: float = 30.0,
    progress: Callable[[Progress], None] = lambda now: None,
    stop: Callable[[], bool] = lambda: False,
    **settings: Any,
) -> Trained:
    """Teach a network a task and evaluate it; returns the network and the result.

    Settings are those of the recipe by the names of their flags: `maps=48`, `**{"harden.steps": 2000}`. The run
    directory is `out`, or runs/TASK-RECIPE-SEED. `progress` is called every ten steps, and `stop` after every step. A
    UserError says what is wrong with the input, before anything is trained.
    """
    task = get_task(task) if isinstance(task, str) else task
    config = configure(task, recipe, with_settings(get_recipe(recipe), settings), seed, engine, threads, device)
    sizes = sizes_to_evaluate(task, evaluate_sizes, evaluate_count)
    directory, trainer = begin(config, task, None if out is None else Path(out))
    go_on(directory, trainer, checkpoint_seconds, progress, stop)
    return finish(directory, trainer, sizes, evaluate_count)


def resume(
    directory: str | Path,
    *,
    task: Task | None = None,
    threads: int | None = None,
    device: str | None = None,
    evaluate_sizes: Sequence[int] | None = None,
    evaluate_count: int = 100,
    checkpoint_seconds: float = 30.0,
    progress: Callable[[Progress], None] = lambda now: None,
    stop: Callable[[], bool] = lambda: False,
) -> Trained:
    """Go on with the run in a directory; it ends in the same bits as if it had never stopped.

    `task` is needed where the run's is not one of `ngpu tasks`. Threads and device may change: the bits do not depend
    on the number of threads; on another device they may differ.
    """
    run_directory, trainer = reopen(Path(directory), task, threads, device)
    sizes = sizes_to_evaluate(trainer.task, evaluate_sizes, evaluate_count)
    go_on(run_directory, trainer, checkpoint_seconds, progress, stop)
    return finish(run_directory, trainer, sizes, evaluate_count)


def sizes_to_evaluate(task: Task, sizes: Sequence[int] | None, count: int) -> list[int]:
    """These sizes, or the usual ones; a UserError says what cannot be evaluated, before time is spent on training."""
    if count < 0:
        raise UserError(f"evaluate_count is {count}; it must be at least 0, where 0 does not evaluate")
    return checked_sizes(task, usual_sizes(task) if sizes is None else sizes)


def begin(config: TrainConfig, task: Task, out: Path | None) -> tuple[RunDirectory, Trainer]:
    """A new run directory and a trainer at step 0."""
    trainer = make_trainer(config, task)
    chosen = replace(config, engine=trainer.compute.engine, threads=trainer.compute.threads)
    return RunDirectory.create(out or free_directory(config), chosen.to_run()), trainer


def reopen(
    path: Path, task: Task | None = None, threads: int | None = None, device: str | None = None
) -> tuple[RunDirectory, Trainer]:
    """A run directory and a trainer of its configuration; the loop takes it to the last checkpoint."""
    directory = RunDirectory(path)
    try:
        config = read_config(directory.config)
        network = config.network
        found = task or open_task(network.task, network.alphabet)
    except UserError as error:
        raise UserError(f"{path}: {error}") from None
    if isinstance(found, ForeignTask):
        raise UserError(f"{path}: the task {network.task!r} is not known here; give it to neuralgpu.resume as task=...")
    if threads is not None:
        config = replace(config, threads=threads)
    if device is not None:
        config = replace(config, device=device, engine="auto")
    return directory, make_trainer(config, found)


def make_trainer(config: TrainConfig, task: Task) -> Trainer:
    """A trainer at step 0."""
    if isinstance(config.settings, PaperSettings):
        return PaperTrainer(config, task, config.settings)
    if isinstance(config.settings, LSTMAttentionSettings):
        return LSTMAttentionTrainer(config, task, config.settings)
    if isinstance(config.settings, StackRNNSettings):
        return StackRNNTrainer(config, task, config.settings)
    return StagedTrainer(config, task, config.settings)


def free_directory(config: TrainConfig) -> Path:
    """runs/TASK-RECIPE-SEED, with a number behind it if that is taken."""
    name = f"{config.network.task}-{config.recipe}-{config.seed}"
    paths = (Path("runs") / (name if number == 1 else f"{name}-{number}") for number in itertools.count(1))
    return next(path for path in paths if not (path / "config.json").exists())


def go_on(
    directory: RunDirectory,
    trainer: Trainer,
    checkpoint_seconds: float,
    progress: Callable[[Progress], None],
    stop: Callable[[], bool],
) -> None:
    """Train from the last checkpoint until finished or stopped."""
    for metrics in run(directory, trainer, checkpoint_seconds, stop):
        progress(Progress(trainer, metrics))


def finish(
    directory: RunDirectory,
    trainer: Trainer,
    sizes: Sequence[int],
    count: int,
    progress: EvaluationProgress | None = None,
) -> Trained:
    """The network; where its training is finished it is evaluated, unless `count` is 0, and evaluation.json written."""
    config, task = trainer.config, trainer.task
    network = load(directory.path, config.engine, config.threads, config.device, task=task)
    report = Report(task.name, task.unit, None, ())
    if trainer.finished and count:
        report = evaluate(network, sizes, count, progress=progress)
    report = replace(report, training=training_record(directory, trainer))
    if trainer.finished:
        write_atomically(directory.path / "evaluation.json", (json.dumps(report.to_dict(), indent=2) + "\n").encode())
    return Trained(network, TrainResult(directory.path, trainer.finished, report))


def training_record(directory: RunDirectory, trainer: Trainer) -> dict[str, Any]:
    """What a report says about a training."""
    return {
        "command": train_command(trainer.config, trainer.task),
        "engine": trainer.compute.engine,
        "threads": trainer.compute.threads,
        "device": trainer.compute.device,
        "steps": trainer.step,
        "minutes": round(directory.seconds() / 60, 1),
        "parameters": sum(weight.numel() for weight in trainer.model.parameters()),
        "milestone": trainer.milestone().words,
        **trainer.verdict(),
    }
