"""Train networks by one recipe from several seeds and record how far each generalises.

    python experiments/seeds.py copy --recipe paper --seeds 0 1 2 --scores 41:100 401:100 4001:20
    python experiments/seeds.py badd --recipe exact --seeds 0 1 2 3 4 --scores 200:100 2000:20
    python experiments/seeds.py sort --recipe exact --settings maps=48

For each seed this trains a network (going on where an earlier call was cut), evaluates it on inputs of a seed that no
training looks at, and writes experiments/RECIPE_recipe/TASK-SEED.json: a report with the command, the minutes, the
scores and, where there is a curriculum, the step at which it reached each size. A result that is there already is kept
unless --overwrite is given.
"""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import tyro

from neuralgpu import Network, evaluate, resume, train
from neuralgpu.errors import UserError
from neuralgpu.evaluation.report import Report
from neuralgpu.runs.config import load_config
from neuralgpu.runs.files import write_atomically
from neuralgpu.tasks import Task, get_task
from neuralgpu.training.config import read_config, recipe_of, with_settings
from neuralgpu.training.recipes import get_recipe
from neuralgpu.training.train import Progress, TrainResult


@dataclass(frozen=True)
class Arguments:
    """What to train."""

    task: Annotated[str, tyro.conf.Positional]
    """a task of `ngpu tasks`"""
    recipe: str = "paper"
    """a recipe of `ngpu train --help`"""
    settings: tuple[str, ...] = ()
    """settings that differ from the recipe's, such as maps=48 or harden.steps=2000"""
    seeds: tuple[int, ...] = (0,)
    """one network for each"""
    scores: tuple[str, ...] = ()
    """sizes, each with its number of random inputs; by default those of 41, 51, 201 and 401 symbols with 100 each, and
    of 4001 with 20"""
    evaluation_seed: int = 1
    """decides these inputs"""
    threads: int = 0
    """CPU threads; 0 takes all cores"""
    out: Path | None = None
    """folder of the results; by default experiments/RECIPE_recipe"""
    overwrite: bool = False
    """make results again that are there already"""


def main() -> None:
    args = tyro.cli(Arguments, description=__doc__)
    task = get_task(args.task)
    pairs = [(int(size), int(count)) for size, count in (pair.split(":") for pair in args.scores)] or usual_pairs(task)
    home = args.out or Path(__file__).parent / f"{args.recipe}_recipe"
    paths = {seed: home / f"{task.name}-{seed}.json" for seed in args.seeds}
    for seed, path in paths.items():
        if path.exists() and not args.overwrite:
            print(f"{path} is there already; --overwrite makes it again", flush=True)
            continue
        network, result = trained(args, seed)
        report = with_history(scored(network, pairs, args.evaluation_seed), result)
        home.mkdir(parents=True, exist_ok=True)
        write_atomically(path, (json.dumps(report.to_dict(), indent=2) + "\n").encode())
        print(f"written to {path}", flush=True)


def usual_pairs(task: Task) -> list[tuple[int, int]]:
    """Sizes and counts that say how far a network generalises."""
    counts = {41: 100, 51: 100, 201: 100, 401: 100, 4001: 20}
    return [(task.largest_size(cells), count) for cells, count in counts.items()]


def trained(args: Arguments, seed: int) -> tuple[Network, TrainResult]:
    """The network of a seed: trained now, or as far as an earlier call came and then to its end."""
    run = Path("runs") / f"{args.task}-{args.recipe}-{seed}"
    changes = dict(setting.split("=", 1) for setting in args.settings)
    settings = {name: json.loads(value) for name, value in changes.items()}
    if (run / "config.json").exists():
        asked = with_settings(get_recipe(args.recipe), settings)
        if recipe_of(read_config(load_config(run / "config.json")), get_task(args.task)) != asked:
            raise UserError(f"{run} was begun with other settings; move it away, or leave out --settings")
        return resume(run, evaluate_count=0, progress=show)
    return train(args.task, args.recipe, seed, run, threads=args.threads, evaluate_count=0, progress=show, **settings)


def show(now: Progress) -> None:
    if now.metrics.step % 200 == 0:
        print(
            f"step {now.metrics.step}, exact {now.metrics.exact:.1%}, {now.trainer.milestone().words}", file=sys.stderr
        )


def scored(network: Network, pairs: Sequence[tuple[int, int]], seed: int) -> Report:
    """One report of all sizes, each with its own number of inputs."""
    reports = [evaluate(network, size, count, seed) for size, count in pairs]
    return replace(reports[0], scores=tuple(score for report in reports for score in report.scores))


def with_history(report: Report, result: TrainResult) -> Report:
    """The report with what is known about the training, and the steps at which a curriculum reached each size."""
    lines = (result.directory / "metrics.jsonl").read_text().splitlines()
    history: list[dict[str, Any]] = [json.loads(line) for line in lines]
    reached = {line["size"]: line["step"] for line in reversed(history) if "size" in line}
    return replace(report, training={**(result.report.training or {}), "first_step_at_size": reached})


if __name__ == "__main__":
    try:
        main()
    except UserError as error:
        sys.exit(f"error: {error}")
