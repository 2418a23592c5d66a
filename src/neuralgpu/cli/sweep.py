"""`ngpu sweep`: train over a grid of settings; its status, its report, and what its best points are worth."""

import io
import json
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import tyro

from neuralgpu.cli.arguments import parse
from neuralgpu.cli.interruption import interruptible
from neuralgpu.engine import EngineChoice
from neuralgpu.errors import UserError
from neuralgpu.evaluation.sizes import TRAINING_CELLS
from neuralgpu.tasks.learnable import learnable

if TYPE_CHECKING:
    from neuralgpu.sweeps.config import Sweep
    from neuralgpu.sweeps.report import SweepReport

DESCRIPTION = """Train a task at every point of a grid. The directory keeps all that is done: the same command goes on
after a kill, a lost machine or Ctrl-C, and repeats nothing. A point's seed is the base seed plus its number.

ngpu sweep status DIR, ngpu sweep report DIR and ngpu sweep take DIR look at a sweep at any time.

examples:
  ngpu sweep badd --grid paper --dry-run
  ngpu sweep badd --grid paper --address 10.0.0.5:6379 --out /shared/badd
  ngpu sweep copy --recipe exact --axis fit.learning_rate=0.004,0.0056 --axis fit.muon=0.5,1.15 --seeds 3
  ngpu sweep copy --axis dropout=0.06,0.09 --set maps=12 --set max_steps=2000 --engine serial --no-prune
"""

STATUS = """Show how many points are done, running, waiting, pruned and failed, the best so far, and the time left.

examples:
  ngpu sweep status sweeps/badd-paper
"""

REPORT = """Write report.csv, report.json, report.md and a figure for each axis: how many of the finished points make no
error at each size, and the command that trains the best one again.

examples:
  ngpu sweep report sweeps/badd-paper
"""

TAKE = """Evaluate the best points of a sweep on inputs that did not choose them, each alone or all as an ensemble.

examples:
  ngpu sweep take sweeps/badd-paper --best 5 --ensemble
"""

Repeated = tyro.conf.UseAppendAction[tuple[str, ...]]


@dataclass(frozen=True)
class SweepArguments:
    """What to train, where, and on what."""

    task: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="TASK")]
    """what is to be learned: one of `ngpu tasks`, a file of examples, or a file with a task in Python"""
    grid: str = ""
    """a named grid: paper has 3^6 = 729 points around the recipe's settings"""
    axis: Annotated[Repeated, tyro.conf.arg(metavar="NAME=V1,V2")] = ()
    """a setting, named as its flag of `ngpu train` is, and its values; once for each axis"""
    set_: Annotated[Repeated, tyro.conf.arg(name="set", metavar="NAME=VALUE")] = ()
    """a setting that all points share; once for each"""
    recipe: str = "paper"
    """how it is taught; `ngpu train --help` lists the recipes"""
    seeds: int = 1
    """trainings of each combination, which differ in their seeds"""
    seed: int = 0
    """the base seed, that of point 0"""
    out: Path | None = None
    """directory of the sweep, which all machines must see; by default sweeps/TASK-GRID or sweeps/TASK-RECIPE"""
    engine: Literal["ray", "serial"] = "ray"
    """ray uses all cores, or a cluster; serial trains one point after the other"""
    address: str | None = None
    """HOST:PORT of a Ray cluster, or auto; without it this machine alone"""
    parallel: int = 0
    """largest number of trainings at a time; 0 takes one for each core"""
    threads: int = 1
    """CPU threads of each training"""
    prune: bool = True
    """end the worse half of the points at an eighth, a quarter and a half of the training"""
    retries: int = 2
    """times that a point is tried again after it failed without any progress"""
    compute: EngineChoice = "auto"
    """what computes the steps: native, torch, or the better one that there is"""
    device: str = "cpu"
    """where torch computes: cpu, cuda or mps"""
    evaluate_sizes: tuple[int, ...] = ()
    """sizes at which networks are scored; by default those of the paper, 20 40 200 2000 bits"""
    evaluate_count: int = 100
    """random inputs at each of them; a tenth on tapes of more than 1000 cells"""
    checkpoint_seconds: float = 30.0
    """seconds between checkpoints"""
    dry_run: bool = False
    """list the points and the hours that they take at most, from the measured time of a step, and train nothing"""
    json: bool = False
    """print the result as JSON"""


@dataclass(frozen=True)
class LookArguments:
    """Which sweep to look at."""

    directory: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="DIR")]
    """directory of the sweep"""
    retries: int = 2
    """retries after which a point counts as failed"""
    json: bool = False
    """print JSON"""


@dataclass(frozen=True)
class ReportArguments(LookArguments):
    """Which sweep to report on, and where."""

    out: Path | None = None
    """directory of the report; by default DIR/report"""


@dataclass(frozen=True)
class TakeArguments(LookArguments):
    """Which points to evaluate, and how."""

    best: int = 5
    """number of points, the best first"""
    ensemble: bool = False
    """average the outputs of all, instead of one after the other"""
    sizes: tuple[int, ...] = ()
    """sizes in the task's unit; by default those of the sweep that take at most 1000 cells"""
    count: int = 100
    """random inputs at each"""
    seed: int = 1
    """decides the inputs; the points were ranked on those of seed 0"""
    threads: int = 0
    """CPU threads; 0 takes all cores"""


def main(arguments: Sequence[str]) -> int:
    """Run a sweep, or look at one."""
    looks = {"status": _status, "report": _report, "take": _take}
    if arguments and arguments[0] in looks:
        return looks[arguments[0]](arguments[1:])
    args = parse(SweepArguments, "sweep", DESCRIPTION, arguments)

    from neuralgpu.sweeps.sweep import Options, default_directory

    planned = _planned(args)
    options = Options(args.engine, args.address, args.parallel, args.retries, args.checkpoint_seconds)
    if args.dry_run:
        return _dry_run(args, planned)
    return _run(args, planned, args.out or default_directory(planned), options)


def _planned(args: SweepArguments) -> "Sweep":
    from neuralgpu.sweeps.config import make_sweep
    from neuralgpu.sweeps.values import read_assignment

    axes: dict[str, Any] = {}
    for text in args.axis:
        name, values = read_assignment(text)
        if name in axes:
            raise UserError(f"axis {name} is given twice; put all of its values in one")
        axes[name] = values
    settings = {}
    for text in args.set_:
        name, values = read_assignment(text)
        if len(values) != 1:
            raise UserError(f"--set {text} has {len(values)} values; give one, or make it an --axis")
        settings[name] = values[0]
    return make_sweep(
        learnable(args.task, TRAINING_CELLS),
        axes,
        args.recipe,
        grid=args.grid,
        seeds=args.seeds,
        seed=args.seed,
        prune=args.prune,
        compute=args.compute,
        device=args.device,
        threads=args.threads,
        sizes=args.evaluate_sizes or None,
        count=args.evaluate_count,
        settings=settings,
    )


def _dry_run(args: SweepArguments, planned: "Sweep") -> int:
    from neuralgpu.cli.sweep_tables import print_points
    from neuralgpu.cores import available_cores
    from neuralgpu.sweeps.estimate import estimate

    parallel = args.parallel or (max(1, available_cores() // args.threads) if args.engine == "ray" else 1)
    found = estimate(planned, parallel)
    if args.json:
        points = [{"point": p.number, "digits": p.digits, "seed": p.seed, **p.settings} for p in planned.config.points]
        print(json.dumps({**vars(found), "hours": found.hours, "points": points}))
    else:
        print_points(planned.config, found)
    return 0


def _run(args: SweepArguments, planned: "Sweep", path: Path, options: Any) -> int:
    from neuralgpu.cli.sweep_tables import SweepDisplay, print_summary
    from neuralgpu.sweeps.report import write_report
    from neuralgpu.sweeps.sweep import run_sweep

    # Ray prints to stdout what the table and the report say in our own words.
    with redirect_stdout(io.StringIO()), SweepDisplay(options.retries) as display, interruptible() as interrupted:
        report = run_sweep(planned, path, options, display.show, lambda: bool(interrupted))
    written = write_report(report, path / "report")
    if args.json:
        print(json.dumps({"directory": str(path), **report.to_dict()}))
    else:
        print_summary(report)
        print(f"report: {written[2]}")
    counts = report.status.counts
    if interrupted:
        print("stopped; the same command goes on", file=sys.stderr)
        return 130
    if counts["failed"]:
        more = f"--retries {args.retries + 2}"
        print(f"{counts['failed']} points failed; the report says why, and {more} tries them again", file=sys.stderr)
        return 1
    return 0


def _status(arguments: Sequence[str]) -> int:
    args = parse(LookArguments, "sweep status", STATUS, arguments)

    from neuralgpu.cli.sweep_tables import print_status
    from neuralgpu.sweeps.status import read_status

    status = read_status(args.directory, args.retries)
    if args.json:
        print(json.dumps(status.to_dict()))
    else:
        print_status(status)
    return 0


def _report(arguments: Sequence[str]) -> int:
    args = parse(ReportArguments, "sweep report", REPORT, arguments)

    from neuralgpu.cli.sweep_tables import print_summary
    from neuralgpu.sweeps.report import write_report

    report = _read(args)
    written = write_report(report, args.out or args.directory / "report")
    if args.json:
        print(json.dumps(report.to_dict()))
        return 0
    print_summary(report)
    for path in written:
        print(path)
    if not any(path.suffix == ".png" for path in written) and report.best:
        print("no figures: they need matplotlib; get it with: pip install 'neuralgpu[view]'", file=sys.stderr)
    return 0


def _take(arguments: Sequence[str]) -> int:
    args = parse(TakeArguments, "sweep take", TAKE, arguments)

    from neuralgpu.cli.tables import evaluation_progress, print_report
    from neuralgpu.sweeps.best import take

    report = _read(args)
    with evaluation_progress(report.config.unit) as progress:
        taken = take(
            report,
            args.best,
            ensemble=args.ensemble,
            sizes=args.sizes or None,
            count=args.count,
            seed=args.seed,
            threads=args.threads,
            progress=progress,
        )
    if args.json:
        reports = [found.to_dict() for found in taken.reports]
        print(json.dumps({"directories": list(map(str, taken.paths)), "ensemble": args.ensemble, "reports": reports}))
        return 0
    for number, found in enumerate(taken.reports):
        members = taken.paths if args.ensemble else taken.paths[number : number + 1]
        print("ensemble of:" if args.ensemble else "network:", *members)
        print_report(found)
    return 0


def _read(args: LookArguments) -> "SweepReport":
    from neuralgpu.sweeps.report import read_report

    return read_report(args.directory, args.retries)
