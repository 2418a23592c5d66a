"""Train a network for every task of the library by the default recipe, and record which algorithms it finds.

    python experiments/library.py                        every task, in turn
    python experiments/library.py parity mod3 --seed 1

For each task this trains one network without a flag (going on where an earlier call was cut) for at most --minutes of
one core, scores it at the largest size of training and at two, five and ten times that, and writes
experiments/library/TASK.json. experiments/library/README.md is made of all of these. A result that is there already is
kept unless --overwrite is given.
"""

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import tyro

from neuralgpu import evaluate, resume, train
from neuralgpu.errors import UserError
from neuralgpu.evaluation.report import Report, Score
from neuralgpu.evaluation.sizes import training_size
from neuralgpu.runs.config import read_json
from neuralgpu.runs.files import write_atomically
from neuralgpu.tasks import TASKS, get_task

PAPER = ("badd", "bmul", "copy", "reverse", "duplicate", "sort")
TIMES = (1, 2, 5, 10)
"""Sizes that are scored, as multiples of the largest in training."""


@dataclass(frozen=True)
class Arguments:
    """Which tasks, and how long."""

    tasks: Annotated[tuple[str, ...], tyro.conf.Positional] = ()
    """names of tasks; none takes all but the paper's six"""
    seed: int = 0
    minutes: float = 30.0
    """of one core, spent on the training of a task at the most"""
    count: int = 100
    """random inputs at each size"""
    evaluation_seed: int = 1
    """decides these inputs"""
    out: Path = Path(__file__).parent / "library"
    """folder of the results"""
    overwrite: bool = False
    """make results again that are there already"""


def main() -> None:
    args = tyro.cli(Arguments, description=__doc__)
    args.out.mkdir(parents=True, exist_ok=True)
    for name in args.tasks or tuple(name for name in TASKS if name not in PAPER):
        path = args.out / f"{name}.json"
        if args.overwrite or not path.exists():
            report = learned(args, name)
            write_atomically(path, (json.dumps(report.to_dict(), indent=2) + "\n").encode())
            print(f"written to {path}: {verdict(report)}", flush=True)
        write_atomically(args.out / "README.md", table(args.out).encode())


def learned(args: Arguments, name: str) -> Report:
    """The scores of a network that was trained now, or as far as an earlier call came and then on."""
    task, run, begun = get_task(name), Path("runs") / f"{name}-exact-{args.seed}", time.process_time()

    def stop() -> bool:
        return time.process_time() - begun > 60 * args.minutes

    if (run / "config.json").exists():
        network, result = resume(run, evaluate_count=0, stop=stop)
    else:
        network, result = train(task, seed=args.seed, out=run, threads=1, evaluate_count=0, stop=stop)
    cpu = (time.process_time() - begun) / 60
    largest = training_size(task)
    report = evaluate(network, [times * largest for times in TIMES], args.count, args.evaluation_seed)
    history = {**(result.report.training or {}), "finished": result.finished, "cpu_minutes": round(cpu, 1)}
    return replace(report, training=history)


def verdict(report: Report) -> str:
    """What was found, in words."""
    training = report.training or {}
    if report.exact_scores() and all(score.exact == score.count for score in report.scores if score.inputs == "random"):
        return "exact"
    if not training.get("finished", True):
        return f"no exam passed within {training['cpu_minutes']} minutes"
    return str(training.get("words", ""))


def table(folder: Path) -> str:
    """All results as a page."""
    rows = []
    for path in sorted(folder.glob("*.json")):
        report = Report.from_dict(read_json(path))
        training = report.training or {}
        random = [score for score in report.scores if score.inputs == "random"]
        stress = [score for score in report.scores if score.inputs == "stress"]
        cells = (path.stem, str(random[0].size), *(_counts(random)), _counts(stress)[-1] if stress else "")
        rows.append((*cells, str(training.get("cpu_minutes", "")), verdict(report)))
    exact = sum(row[-1] == "exact" for row in rows)
    heads = ("task", "trained up to", *(f"x {times}" for times in TIMES), "stress at x 10", "minutes", "")
    lines = [heads, ("---",) * len(heads), *rows]
    body = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"""# The library of tasks, learned by the default recipe

One seed each, no flags: `python experiments/library.py`. Exact outputs of random inputs at the largest size of training
and at multiples of it; minutes of one core. {exact} of {len(rows)} are exact at every size.

{body}
"""


def _counts(scores: Sequence[Score]) -> list[str]:
    return [f"{score.exact}/{score.count}" for score in scores]


if __name__ == "__main__":
    try:
        main()
    except UserError as error:
        sys.exit(f"error: {error}")
