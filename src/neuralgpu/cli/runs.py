"""`ngpu runs`: what was trained, and how it ended."""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console
from rich.table import Table

from neuralgpu import zoo
from neuralgpu.cli.arguments import parse
from neuralgpu.cli.rows import write_csv
from neuralgpu.errors import UserError
from neuralgpu.training.summary import RunSummary, changes_in_words, find_runs, summarise

DESCRIPTION = """List run directories: task, recipe, settings that differ from the recipe, seed, steps, minutes, exam
and exact outputs by size, random + stress inputs. Folders are searched for runs; without one, `runs` is.

examples:
  ngpu runs
  ngpu runs runs/bmul-* --csv > bmul.csv
  ngpu runs sweeps/badd/points --json
"""


@dataclass(frozen=True)
class RunsArguments:
    """Which runs, and how to print them."""

    paths: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="DIR")] = ("runs",)
    """run directories, folders of them, or names that `ngpu models` lists"""
    json: bool = False
    """print JSON, an object for each run"""
    csv: bool = False
    """print CSV, a row for each score"""


def main(arguments: Sequence[str]) -> int:
    """Print a row for each run."""
    args = parse(RunsArguments, "runs", DESCRIPTION, arguments)
    if args.json and args.csv:
        raise UserError("--json does not go with --csv; choose one of the two")
    runs = [summarise(path) for path in find_runs([zoo.locate(path) for path in args.paths])]
    if args.json:
        print(json.dumps([run.to_dict() for run in runs]))
    elif args.csv:
        write_csv(sys.stdout, [row for run in runs for row in run.rows()])
    else:
        _print(runs)
    return 0


def _print(runs: Sequence[RunSummary]) -> None:
    table = Table("run", "task", "recipe", "changed", "seed", "steps", "minutes", "exam", "exact")
    for run in runs:
        known = [str(value) if value is not None else "" for value in (run.seed, run.steps, run.minutes, run.exam)]
        words = changes_in_words(run.changes)
        table.add_row(_name(run.path), run.task, run.recipe, words, *known, run.problem or _scores(run))
    console = Console()
    if not console.is_terminal:
        console.width = 240  # a file has lines of any length
    console.print(table)


def _name(path: Path) -> str:
    """The path, shorter where it lies below the working directory."""
    here = Path.cwd()
    return str(path.resolve().relative_to(here)) if path.resolve().is_relative_to(here) else str(path)


def _scores(run: RunSummary) -> str:
    """Exact outputs at each size, the size first."""
    if not run.scores:
        return "not evaluated" if run.finished else "not finished"
    lines = []
    for size in sorted({score.size for score in run.scores}):
        counts = [f"{score.exact}/{score.count}" for score in run.scores if score.size == size]
        lines.append(f"{size}: {' + '.join(counts)}")
    return "\n".join(lines)
