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
from neuralgpu.evaluation.sizes import TRAINING_CELLS, checked_sizes, usual_sizes
from neuralgpu.models.registry import check_parameters
from neuralgpu.network import Network, load
from neuralgpu.ranges import Range, check_range
from neuralgpu.runs.directory import RunDirectory
from neuralgpu.runs.files import write_atomically
from neuralgpu.tasks import ForeignTask, Task, open_task
from neuralgpu.tasks.learnable import check_same, learnable, reopened
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

SECONDS = Range(0, 1e6)
"""Between checkpoints."""


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
    task: Any,
    recipe: str = "exact",
    seed: int = 0,
    out: str | Path | None = None,
    *,
    engine: EngineChoice = "auto",
    threads: int = 0,
    device: str = "cpu",
    words: bool = False,
    evaluate_sizes: Sequence[int] | None = None,
    evaluate_count: int = 100,
    checkpoint_seconds: float = 30.0,
    progress: Callable[[Progress], None] = lambda now: None,
    evaluation_progress: EvaluationProgress | None = None,
    stop: Callable[[], bool] = lambda: False,
    **settings: Any,
) -> Trained:
    """Teach a network a task and evaluate it; returns the network and the result.

    The task is a name, a Task, a file of examples or one with a task in Python, or a class, module or object with an
    `alphabet`, `random(rng, size)` and `answer(text)`; with `words`, the symbols of a file of examples are words.

    Settings are those of the recipe by the names of their flags: `maps=48`, `**{"harden.steps": 2000}`. The run
    directory is `out`, or runs/TASK-RECIPE-SEED. `progress` is called every ten steps, `stop` after every step, and
    `evaluation_progress` with a size, the inputs of it that are scored, and how many there are. A UserError says what
    is wrong with the input, before anything is trained.
    """
    task = learnable(task, TRAINING_CELLS, words)
    config = configure(task, recipe, with_settings(get_recipe(recipe), settings), seed, engine, threads, device)
    check_range("checkpoint_seconds", checkpoint_seconds, SECONDS)
    sizes = sizes_to_evaluate(task, evaluate_sizes, evaluate_count)
    directory, trainer = begin(config, task, None if out is None else Path(out))
    go_on(directory, trainer, checkpoint_seconds, progress, stop)
    return finish(directory, trainer, sizes, evaluate_count, evaluation_progress)


def resume(
    directory: str | Path,
    *,
    task: Any = None,
    threads: int | None = None,
    device: str | None = None,
    evaluate_sizes: Sequence[int] | None = None,
    evaluate_count: int = 100,
    checkpoint_seconds: float = 30.0,
    progress: Callable[[Progress], None] = lambda now: None,
    evaluation_progress: EvaluationProgress | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> Trained:
    """Go on with the run in a directory; it ends in the same bits as if it had never stopped.

    `task` is needed where the run's is neither one of `ngpu tasks` nor in the file that it was read from. Threads and
    device may change: the bits do not depend on the number of threads; on another device they may differ. Returns the
    network and the result, as `train` does. A UserError says what is wrong with the directory.
    """
    check_range("checkpoint_seconds", checkpoint_seconds, SECONDS)
    run_directory, trainer = reopen(Path(directory), task, threads, device)
    sizes = sizes_to_evaluate(trainer.task, evaluate_sizes, evaluate_count)
    go_on(run_directory, trainer, checkpoint_seconds, progress, stop)
    return finish(run_directory, trainer, sizes, evaluate_count, evaluation_progress)


def sizes_to_evaluate(task: Task, sizes: Sequence[int] | None, count: int) -> list[int]:
    """These sizes, or the usual ones; a UserError says what cannot be evaluated, before time is spent on training."""
    if count not in Range(0):
        raise UserError(f"evaluate_count is {count}; it must be {Range(0)}, where 0 does not evaluate")
    return checked_sizes(task, usual_sizes(task) if sizes is None else sizes)


def begin(config: TrainConfig, task: Task, out: Path | None) -> tuple[RunDirectory, Trainer]:
    """A new run directory and a trainer at step 0."""
    if out is not None and out.resolve() in (Path.cwd(), *Path.cwd().parents):
        raise UserError(f"out is {str(out)!r}; name a directory of its own, such as runs/{task.name}")
    trainer = make_trainer(config, task)
    chosen = replace(config, engine=trainer.compute.engine, threads=trainer.compute.threads)
    return RunDirectory.create(out or free_directory(config), chosen.to_run()), trainer


def reopen(
    path: Path, task: Any = None, threads: int | None = None, device: str | None = None
) -> tuple[RunDirectory, Trainer]:
    """A run directory and a trainer of its configuration; the loop takes it to the last checkpoint."""
    directory = RunDirectory(path)
    try:
        config = read_config(directory.config)
        network = config.network
        found = task_of_run(config, task)
    except UserError as error:
        raise UserError(f"{path}: {error}") from None
    if isinstance(found, ForeignTask):
        raise UserError(f"{path}: the task {network.task!r} is not known here; give it to neuralgpu.resume as task=...")
    if threads is not None:
        config = replace(config, threads=threads)
    if device is not None:
        config = replace(config, device=device, engine="auto")
    return directory, make_trainer(config, found)


def task_of_run(config: TrainConfig, given: Any = None) -> Task:
    """The task that a run learns: the one that is given, that of its file, or the one of its name."""
    source, network = config.source, config.network
    if given is None:
        return reopened(source, TRAINING_CELLS) if source else open_task(network.task, network.alphabet)
    if source and isinstance(given, str | Path):
        check_same(source, Path(given))
    task = learnable(given, TRAINING_CELLS, bool(source and source.words))
    if (task.name, task.alphabet) != (network.task, network.alphabet):
        raise UserError(
            f"the run learns {network.task} over {network.alphabet!r}, not {task.name} over {task.alphabet!r}"
        )
    return task


def make_trainer(config: TrainConfig, task: Task) -> Trainer:
    """A trainer at step 0."""
    sets = config.settings.relaxation_sets if isinstance(config.settings, PaperSettings) else 1
    check_parameters(config.network.model, task.symbols, sets)
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
        with directory.lock(wait=True):
            write_atomically(
                directory.path / "evaluation.json", (json.dumps(report.to_dict(), indent=2) + "\n").encode()
            )
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
