"""`ngpu train`: teach a network a task, or go on with a run that was cut."""

import argparse
import itertools
import json
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeVar

import tyro
from rich.console import Console

from neuralgpu.cli import command
from neuralgpu.cli.arguments import parse
from neuralgpu.cores import available_cores
from neuralgpu.engine import EngineChoice
from neuralgpu.errors import UserError, nearest
from neuralgpu.tasks import TASKS, get_task
from neuralgpu.training.config import RunConfig, changed_settings, load_config
from neuralgpu.training.recipes import EVALUATION_LENGTHS, Recipe, get_recipe

if TYPE_CHECKING:
    from neuralgpu.training.trainer import Trainer

DESCRIPTION = """Train a network on examples of at most 41 symbols, then evaluate it on longer ones.
The run directory holds the configuration, metrics, checkpoints and weights. Ctrl-C saves and stops.

examples:
  ngpu train reverse --recipe small
  ngpu train bmul --recipe exact
  ngpu train badd --recipe addition
  ngpu train duplicate --recipe tight
  ngpu train badd --seed 3 --dropout 0.06 --out runs/my-badd
  ngpu train badd --recipe released
  ngpu train --resume runs/my-badd
"""


R = TypeVar("R", bound=Recipe)


@dataclass(frozen=True, kw_only=True)
class TrainArguments(Generic[R]):
    """What to train, and where."""

    task: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="TASK")] = ""
    """what is to be learned; `ngpu tasks` lists the tasks"""
    settings: tyro.conf.OmitArgPrefixes[R]
    recipe: str = "paper"
    """paper; released: what the authors' code did where it differs; diagonal: the Diagonal Neural GPU's; exact: ours
    for multiplication; wide: the one before it; addition, tight: the same for addition and duplicate; small: ours for
    the other simple tasks"""
    seed: int = 0
    """decides everything that is random"""
    out: Path | None = None
    """the run directory; by default runs/TASK-RECIPE-SEED"""
    resume: Path | None = None
    """go on with the run in this directory"""
    checkpoint_seconds: float = 30.0
    """seconds between checkpoints"""
    threads: int = 0
    """CPU threads; 0 takes all cores"""
    engine: EngineChoice = "auto"
    """what computes the steps; auto takes the native engine where it is built and fits the model"""
    evaluate_lengths: tuple[int, ...] = EVALUATION_LENGTHS
    """tape lengths at which the trained network is evaluated"""
    evaluate_count: int = 100
    """inputs at each of them; 0 does not evaluate"""
    json: bool = False
    """print the result as JSON"""


def main(arguments: Sequence[str]) -> int:
    """Train, evaluate, print a table and where everything was written."""
    args, config = _read(arguments)

    from neuralgpu.cli.display import TrainingDisplay
    from neuralgpu.cli.machine import use_threads
    from neuralgpu.training.directory import RunDirectory
    from neuralgpu.training.loop import train
    from neuralgpu.training.start import make_trainer

    use_threads(config.threads)
    trainer = make_trainer(config)
    _check_evaluation(args, trainer)
    if args.resume:
        directory = RunDirectory(args.resume)
    else:
        config = replace(config, engine=trainer.model.engine)
        directory = RunDirectory.create(args.out or _free_directory(config), config)
    with TrainingDisplay(trainer) as display, _interruptible() as interrupted:
        for metrics in train(directory, trainer, args.checkpoint_seconds, stop=lambda: bool(interrupted)):
            display.show(metrics)
    if interrupted and not trainer.finished:
        again = f"{command()} train --resume {directory.path}"
        display.say(f"stopped at step {trainer.step} and saved; go on with: {again}")
        return 130
    return _report(args, directory.path, trainer)


def _read(arguments: Sequence[str]) -> tuple[TrainArguments[Recipe], RunConfig]:
    """Arguments and configuration; a recipe or a resumed run gives the defaults of its settings."""
    early = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    early.add_argument("--recipe", nargs="?")
    early.add_argument("--resume", nargs="?", type=Path)
    known, _ = early.parse_known_args(arguments)
    if known.resume:
        saved = load_config(known.resume / "config.json")
        if saved.joined:
            raise UserError(f"{known.resume} was made by `ngpu join`, so there is no training to go on with")
    else:
        saved = RunConfig("", known.recipe or "paper", 0, get_recipe(known.recipe or "paper"))
    default = TrainArguments(
        task=saved.task,
        recipe=saved.recipe,
        seed=saved.seed,
        settings=saved.settings,
        engine=saved.engine,
        threads=saved.threads,
    )
    kind: Any = TrainArguments[type(saved.settings)]  # type: ignore[misc]
    args: TrainArguments[Recipe] = parse(kind, "train", DESCRIPTION, arguments, default)
    if not args.task:
        raise UserError(f"no task given; {nearest('', TASKS)}")
    task, threads = get_task(args.task).name, args.threads or available_cores()
    config = RunConfig(task, args.recipe, args.seed, args.settings, args.engine, threads)
    if args.resume:
        if args.out:
            raise UserError(f"--out {args.out} does not go with --resume, which writes to {args.resume}")
        for name, (old, new) in changed_settings(saved, config).items():
            raise UserError(
                f"{name} is {old} in {args.resume}, not {new}; resume without changing it, or start a new run"
            )
    return args, config


def _free_directory(config: RunConfig) -> Path:
    """runs/TASK-RECIPE-SEED, with a number behind it if that is taken."""
    name = f"{config.task}-{config.recipe}-{config.seed}"
    paths = (Path("runs") / (name if number == 1 else f"{name}-{number}") for number in itertools.count(1))
    return next(path for path in paths if not (path / "config.json").exists())


def _check_evaluation(args: TrainArguments[Recipe], trainer: "Trainer") -> None:
    """Refuse what could not be evaluated before time is spent on training."""
    from neuralgpu.cli.tables import chosen_sizes

    chosen_sizes(trainer.task, (), args.evaluate_lengths)
    if args.evaluate_count < 0:
        raise UserError(f"evaluate_count is {args.evaluate_count}; it must be at least 0, where 0 does not evaluate")


@contextmanager
def _interruptible() -> Iterator[list[int]]:
    """Collect the first Ctrl-C or termination instead of dying of it; a second one acts at once."""
    caught: list[int] = []

    def handle(number: int, frame: FrameType | None) -> None:
        caught.append(number)  # and nothing is printed: the signal may have come in the middle of a print
        signal.signal(number, signal.default_int_handler)

    old = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield caught
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)


def _report(args: TrainArguments[Recipe], path: Path, trainer: "Trainer") -> int:
    """Evaluate the trained network and tell the result."""
    from neuralgpu.cli.tables import chosen_sizes, counter_example_lines, evaluate_sizes, score_table
    from neuralgpu.network import load
    from neuralgpu.training.checkpoint import write_atomically

    network = load(path, args.engine)
    scores = []
    if args.evaluate_count:
        sizes = chosen_sizes(network.task, (), args.evaluate_lengths)
        scores = evaluate_sizes(network, sizes, args.evaluate_count, seed=0)
    result = {
        "directory": str(path),
        "task": network.task.name,
        "steps": trainer.step,
        "milestone": trainer.milestone()[2],
        "scores": [score.to_dict() for score in scores],
    }
    write_atomically(path / "evaluation.json", (json.dumps(result, indent=2) + "\n").encode())
    if args.json:
        print(json.dumps(result))
        return 0
    if scores:
        Console().print(score_table(network.task, scores))
        for line in counter_example_lines(scores):
            print(line)
    print(f"{trainer.step} steps; {trainer.milestone()[2]}")
    print(f"run directory: {path}")
    print(f"try it: {command()} run {path} '{network.task.example()}'")
    return 0
