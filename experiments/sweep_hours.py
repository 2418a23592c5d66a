"""Hours of the paper's 729 trainings, from the measured time of a step.

    python experiments/sweep_hours.py --out experiments/sweep/hours.json

A step is measured at the largest size of training, 20 bits, where it is slowest, on one thread and in CPU seconds,
which other work on the machine hardly changes. The hours are a bound: no training ends before its last step, and all
steps are of the largest size. `pruned` is with the default pruning. Scores are not counted.
"""

import json
import time
from dataclasses import dataclass
from pathlib import Path

import tyro

from neuralgpu.sweeps.config import make_sweep
from neuralgpu.sweeps.estimate import Estimate, seconds_per_step
from neuralgpu.sweeps.pruning import steps_left
from neuralgpu.tasks import get_task


@dataclass(frozen=True)
class Arguments:
    """What to measure."""

    tasks: tuple[str, ...] = ("badd", "bmul")
    cores: tuple[int, ...] = (2, 100)
    steps: int = 15
    """measured; their median counts"""
    out: Path | None = None


def main() -> None:
    args = tyro.cli(Arguments, description=__doc__)
    found = {}
    for task in args.tasks:
        sweep = make_sweep(get_task(task), {}, grid="paper")
        seconds = seconds_per_step(sweep, args.steps, time.process_time)
        last = {point.number: (0, sweep.config.last_step(point)) for point in sweep.config.points}
        hours = {
            f"{cores} cores": {
                name: round(Estimate(len(last), seconds, steps_left(last, 0, prune), cores).hours, 1)
                for name, prune in (("whole", False), ("pruned", True))
            }
            for cores in args.cores
        }
        found[task] = {"cpu_seconds_per_step": round(seconds, 4), "engine": sweep.config.compute, "hours": hours}
    text = json.dumps({"points": 729, "steps_of_a_point": last[0][1], **found}, indent=2) + "\n"
    print(text)
    if args.out:
        args.out.write_text(text)


if __name__ == "__main__":
    main()
