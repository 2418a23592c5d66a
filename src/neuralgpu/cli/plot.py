"""`ngpu plot`: figures of runs."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from neuralgpu import zoo
from neuralgpu.cli.arguments import parse
from neuralgpu.errors import UserError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DESCRIPTION = """Draw the training curves of runs; with --accuracy, or given files, how many outputs are exact at each
size; with --by runs grouped by a setting, each seed and the mean by size; with --against the final score of many runs
against one of their settings. The file is a .png or .svg.

examples:
  ngpu plot runs/badd-paper-0 runs/badd-paper-1 -o badd.svg
  ngpu plot bmul badd reverse --accuracy
  ngpu evaluate runs/badd-paper-0 --sizes 20 200 --json > scores.json && ngpu plot scores.json
  ngpu plot runs/bmul-* --by recipe -o recipes.svg
  ngpu plot runs/* --against dropout -o dropout.png
"""


@dataclass(frozen=True)
class PlotArguments:
    """What to draw."""

    paths: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="PATH [PATH ...]")]
    """run directories, names that `ngpu models` lists, or files with the output of `ngpu evaluate --json`"""
    out: Annotated[Path | None, tyro.conf.arg(aliases=("-o",))] = None
    """the file to write, .png or .svg; by default training.png, accuracy.png or SETTING.png"""
    accuracy: bool = False
    """draw exact accuracy against size instead of training curves"""
    by: str = ""
    """group runs by this setting, such as recipe, and draw each seed and the mean by size"""
    against: str = ""
    """draw the final score against this setting"""


def main(arguments: Sequence[str]) -> int:
    """Read, draw and say what was written."""
    args = parse(PlotArguments, "plot", DESCRIPTION, arguments)
    if not args.paths:
        raise UserError("nothing to plot; name run directories, or files with the output of `ngpu evaluate --json`")
    figures = {"--accuracy": args.accuracy, "--by": args.by, "--against": args.against}
    asked = [flag for flag, value in figures.items() if value]
    if len(asked) > 1:
        raise UserError(f"{asked[0]} does not go with {asked[1]}; choose one of the two")
    try:
        from neuralgpu.view.figures import SUFFIXES, save_figure
        from neuralgpu.view.files import check_path
    except ModuleNotFoundError as error:
        if error.name != "matplotlib":
            raise
        raise UserError("figures need matplotlib; get it with: pip install 'neuralgpu[view]'") from None
    if args.out:
        check_path(args.out, SUFFIXES)
    name, figure = _draw(args, [zoo.locate(path) for path in args.paths])
    path = args.out or Path(f"{name}.png")
    save_figure(figure, path)
    print(path)
    return 0


def _draw(args: PlotArguments, paths: Sequence[Path]) -> tuple[str, "Figure"]:
    """A name for the figure, and the figure."""
    from neuralgpu.view.figures import accuracy_figure, sweep_figure, training_figure
    from neuralgpu.view.records import read_accuracies, read_sweep, read_trainings

    if args.by:
        from neuralgpu.view.groups import groups_figure, read_groups

        groups, unscored = read_groups(paths, args.by)
        _leave_out(unscored)
        return args.by, groups_figure(args.by, groups)
    if args.against:
        sweep = read_sweep(paths, args.against)
        _leave_out(sweep.unscored)
        return args.against, sweep_figure(sweep)
    if args.accuracy or any(path.is_file() or path.suffix == ".json" for path in paths):
        return "accuracy", accuracy_figure(read_accuracies(paths))
    return "training", training_figure(read_trainings(paths))


def _leave_out(unscored: Sequence[Path]) -> None:
    for path in unscored:
        print(f"left out {path}: it has no evaluation.json yet", file=sys.stderr)
