"""`ngpu animate`: a picture of a network at work."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from neuralgpu.cli.arguments import parse
from neuralgpu.cli.input import told
from neuralgpu.tasks.spoken import understand
from neuralgpu.view.options import PictureOptions

DESCRIPTION = """Show what a network does with an input: every map of the mental image after every step, the input above
and the answer below as it would be read at that moment, with cells that are wrong in orange. The end of the file's name
decides what is written: .gif, .webp and .mp4 move; .png is a space-time picture, with time downwards.

examples:
  ngpu animate bmul '01101*11001' -o bmul.gif
  ngpu animate badd 0110+0101 -o badd.mp4 --colours diverging --speed 2
  ngpu animate copy 0110100110010110 -o copy.png --maps 0-3 17
"""


@dataclass(frozen=True)
class AnimateArguments:
    """Which network, its input and the file."""

    network: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="NETWORK")]
    """a name that `ngpu models` lists, or a run directory"""
    input: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="INPUT")]
    """the input; numbers are decimal, like 6*10, or written least significant digit first"""
    out: Annotated[Path | None, tyro.conf.arg(aliases=("-o",))] = None
    """the file to write, .gif, .webp, .mp4 or .png; by default TASK.gif"""
    picture: tyro.conf.OmitArgPrefixes[PictureOptions] = field(default_factory=PictureOptions)


def main(arguments: Sequence[str]) -> int:
    """Trace, draw and say what was written."""
    args = parse(AnimateArguments, "animate", DESCRIPTION, arguments)

    from neuralgpu.network import load
    from neuralgpu.view.animation import animate
    from neuralgpu.view.files import WRITERS, check_path
    from neuralgpu.view.spacetime import SUFFIXES, draw_spacetime
    from neuralgpu.view.trace import trace

    if args.out:
        check_path(args.out, [*WRITERS, *SUFFIXES])
    network = load(args.network)
    task, model = network.task, network.tape_model()
    args.picture.check(model.numbers_per_cell // model.maps, model.maps)
    text = told(understand(task, args.input)).text
    steps = network.steps(task.length(task.size(text)))
    path = args.out or Path(f"{task.name}.gif")
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task("thinking", total=steps)
        seen = trace(network, text, progress=lambda step: progress.update(bar, completed=step))
        if path.suffix.lower() in SUFFIXES:
            draw_spacetime(task, seen, path, args.picture)
            frames = "space-time picture"
        else:
            bar = progress.add_task("drawing", total=steps)
            pace = animate(task, seen, path, args.picture, lambda step: progress.update(bar, completed=step))
            frames = f"{len(pace.steps)} frames in {sum(pace.seconds):.1f} s"
    verdict = "the answer is wrong" if seen.wrong[-1].any() else "the answer is right"
    if seen.target is None:
        verdict = f"the answer is {task.read(seen.answers[-1])!r}, and nobody here knows whether it is right"
    print(f"{path}: {frames}, {path.stat().st_size / 1e6:.2f} MB; {verdict}")
    return 0
