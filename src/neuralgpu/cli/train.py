"""`ngpu train`: teach a network a task, or go on with a run that was cut."""

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeVar

import tyro

from neuralgpu.cli import command
from neuralgpu.cli.arguments import parse
from neuralgpu.cli.brief import Brief
from neuralgpu.cli.interruption import interruptible
from neuralgpu.engine import EngineChoice
from neuralgpu.errors import UserError, nearest
from neuralgpu.evaluation.sizes import TRAINING_CELLS
from neuralgpu.models.config import ModelConfig
from neuralgpu.models.steps import Steps
from neuralgpu.ranges import Amount, Number, check_ranges
from neuralgpu.tasks import TASKS
from neuralgpu.tasks.learnable import learnable, summary
from neuralgpu.training.recipes import RECIPES, get_recipe
from neuralgpu.training.recipes.recipe import Recipe
from neuralgpu.training.settings import Settings, TapeSettings

if TYPE_CHECKING:
    from neuralgpu.training.train import Trained

DESCRIPTION = f"""Train a network on examples of at most 41 symbols (20 bits), then evaluate it on longer ones.
The run directory holds the configuration, metrics, checkpoints and weights. Ctrl-C saves and stops.
Every setting of a recipe is a flag, and each recipe has its own: --help-all lists those of the one that --recipe names.

recipes:
{chr(10).join(f"  {name:<14} {what}" for name, what in RECIPES.items())}

examples:
  ngpu train reverse
  ngpu train pairs.tsv                         an input, a tab and its answer on each line
  ngpu train sentences.csv --words             symbols are words
  ngpu train my_task.py                        `ngpu tasks --template my_task.py` writes one
  ngpu train bmul --maps 48 --harden.steps 5000
  ngpu train badd --recipe paper --seed 3 --dropout 0.06 --out runs/my-badd
  ngpu train badd --grid paper --point 417     one of the paper's 729
  ngpu train --resume runs/my-badd
"""

RESUME = """Go on with the run in a directory, which keeps its settings. It ends in the same bits as if nothing had
stopped it.

examples:
  ngpu train --resume runs/my-badd
"""

OFTEN = (
    *("task", "recipe", "seed", "out", "resume", "words"),
    *("evaluate_sizes", "evaluate_count", "threads", "engine", "json"),
)
"""What `--help` shows: the task and the ten flags that people use."""

M = TypeVar("M", bound=ModelConfig)
S = TypeVar("S", bound=Settings)


@dataclass(frozen=True, kw_only=True)
class Common:
    """What a new and a resumed training have in common."""

    checkpoint_seconds: Amount = 30.0
    """seconds between checkpoints"""
    evaluate_sizes: tuple[int, ...] = ()
    """sizes at which the trained network is evaluated; by default 20 to 200 bits, or 41 to 401 symbols"""
    evaluate_count: Number = 100
    """random inputs at each of them; 0 does not evaluate"""
    json: bool = False
    """print the result as JSON"""

    def __post_init__(self) -> None:
        check_ranges(self)


@dataclass(frozen=True, kw_only=True)
class TrainArguments(Common, Generic[M, S]):
    """What to train, and where."""

    task: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="TASK")] = ""
    """what is to be learned: one of `ngpu tasks`, a file of examples (TSV, CSV, or JSON lines with `input` and
    `answer`), or a file with a task in Python"""
    words: bool = False
    """in a file of examples, symbols are words with spaces between them, not characters"""
    recipe: str = "exact"
    """how it is taught"""
    seed: int = 0
    """decides everything that is random; with --point, the base seed, to which the point's number is added"""
    grid: str = ""
    """take the settings of a point of this grid, which `ngpu sweep` runs: paper"""
    point: int | None = None
    """the number of that point; flags change its settings"""
    out: Path | None = None
    """run directory; by default runs/TASK-RECIPE-SEED"""
    resume: Path | None = None
    """go on with the run in this directory, without changing its settings"""
    threads: int = 0
    """CPU threads; 0 takes all cores"""
    engine: EngineChoice = "auto"
    """what computes the steps; auto takes the native engine where it is built and fits the model"""
    device: str = "cpu"
    """where torch computes: cpu, cuda or mps"""
    model: Annotated[M, tyro.conf.arg(name="")]
    tape: TapeSettings
    steps: Steps
    settings: Annotated[S, tyro.conf.arg(name="")]


@dataclass(frozen=True, kw_only=True)
class ResumeArguments(Common):
    """Which run goes on."""

    resume: Path
    """run directory"""
    threads: int | None = None
    """CPU threads, where they are to be others than before; 0 takes all cores"""
    device: str | None = None
    """where torch computes, where that is to be elsewhere than before: cpu, cuda or mps"""


def main(arguments: Sequence[str]) -> int:
    """Train, evaluate, print a table and where everything was written."""
    early = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    early.add_argument("--recipe", nargs="?")
    early.add_argument("--resume", nargs="?", type=Path)
    early.add_argument("--grid", nargs="?")
    early.add_argument("--point", nargs="?")
    known, _ = early.parse_known_args(arguments)
    if known.resume:
        return _resumed(arguments)
    name = known.recipe or ("paper" if known.grid else "exact")
    return _new(arguments, name, _recipe_at(name, known.grid, known.point))


def _recipe_at(name: str, grid: str | None, point: str | None) -> Recipe:
    """A recipe, with the settings of a point of a grid where one is named."""
    recipe = get_recipe(name)
    if bool(grid) != (point is not None):
        raise UserError("--grid and --point go together: --grid paper --point 417")
    if not grid or point is None:
        return recipe
    from neuralgpu.sweeps.grid import Grid, named_axes
    from neuralgpu.training.config import with_settings

    if not point.isdecimal():
        raise UserError(f"--point is {point!r}; it must be the number of a point, such as 417")
    return with_settings(recipe, Grid(named_axes(grid, recipe)).point(int(point)).settings)


def _new(arguments: Sequence[str], name: str, recipe: Recipe) -> int:
    """Train a task; the recipe gives the defaults of its settings, and they decide which flags there are."""
    default = TrainArguments(
        recipe=name, model=recipe.model, tape=recipe.tape, steps=recipe.steps, settings=recipe.settings
    )
    kind: Any = TrainArguments[type(recipe.model), type(recipe.settings)]  # type: ignore[misc]
    brief = Brief(OFTEN, f"--recipe {name} --help-all", f"here, the settings of the recipe {name} among them")
    args: TrainArguments[ModelConfig, Settings] = parse(kind, "train", DESCRIPTION, arguments, default, brief)
    if not args.task:
        raise UserError(f"no task given; {nearest('', TASKS)}")
    if args.out is not None and not str(args.out).strip("."):
        raise UserError(f"--out is {str(args.out)!r}; name a directory of its own, such as runs/{args.task}")
    task = learnable(args.task, TRAINING_CELLS, args.words)

    from neuralgpu.training.config import changed_settings
    from neuralgpu.training.train import train

    chosen = Recipe(args.model, args.settings, args.tape, args.steps)
    settings = {name: new for name, (_, new) in changed_settings(get_recipe(args.recipe), chosen).items()}
    seed = args.seed + (args.point or 0)
    machine: dict[str, Any] = {"engine": args.engine, "threads": args.threads, "device": args.device}

    def begin(**watched: Any) -> "Trained":
        return train(task, args.recipe, seed, args.out, **machine, **watched, **settings)

    return _run(args, f"{task.name} ({args.recipe})", summary(task), begin)


def _resumed(arguments: Sequence[str]) -> int:
    """Go on with a training."""
    try:
        args = parse(ResumeArguments, "train", RESUME, arguments)
    except UserError as error:
        raise UserError(f"{error}; a run that is resumed keeps its task and settings") from None

    from neuralgpu.training.train import resume

    def go_on(**watched: Any) -> "Trained":
        return resume(args.resume, threads=args.threads, device=args.device, **watched)

    return _run(args, str(args.resume), (), go_on)


def _run(args: Common, label: str, said: Sequence[str], work: Callable[..., "Trained"]) -> int:
    """Train and evaluate, show how it goes, and tell the end."""
    from neuralgpu.cli.display import TrainingDisplay

    with interruptible() as interrupted, TrainingDisplay(label) as display:
        for line in said:
            display.say(line)

        def evaluated(size: int, done: int, total: int) -> None:
            if interrupted:
                raise KeyboardInterrupt  # the weights are saved, and `--resume` evaluates them
            display.show_evaluation(size, done, total)

        trained = work(
            evaluate_sizes=args.evaluate_sizes or None,
            evaluate_count=args.evaluate_count,
            checkpoint_seconds=args.checkpoint_seconds,
            progress=display.show,
            evaluation_progress=evaluated,
            stop=lambda: bool(interrupted),
        )
        result = trained.result
        if not result.finished:
            again = f"{command()} train --resume {result.directory}"
            steps = (result.report.training or {})["steps"]
            display.say(f"stopped at step {steps} and saved; go on with: {again}")
            return 130
    _tell(args, trained)
    return 0


def _tell(args: Common, trained: "Trained") -> None:
    """Print how a training ended, and where everything is."""
    from neuralgpu.cli.tables import print_report

    network, result = trained
    if args.json:
        print(json.dumps({"directory": str(result.directory), **result.report.to_dict()}))
        return
    if result.report.scores:
        print_report(result.report)
    training = result.report.training or {}
    print(f"{training['steps']} steps in {training['minutes']} minutes; {training['milestone']}")
    if "words" in training:
        print(training["words"])
    print(f"run directory: {result.directory}")
    print(f"try it: {command()} run {result.directory} '{network.task.example()}'")
