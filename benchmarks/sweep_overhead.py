"""What a sweep on Ray costs beside its trials: the share of its time in which no trial runs.

    python benchmarks/sweep_overhead.py --seconds 60 --points 4

Trials run one at a time on one thread, so that the time of the whole command, its start and its end included, is that
of the trials and what is between them. Both come from the same run: a busy machine slows both down. A trial's time is
from its line in attempts.jsonl to its result.json, which is what the same function takes without Ray.
"""

import itertools
import json
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import tyro

TRAINING = {"layers": 1, "width": 1, "maps": 8, "batch": 8, "curriculum": "false", "finish_blocks": 0}


@dataclass(frozen=True)
class Arguments:
    """How much to measure."""

    seconds: float = 60.0
    """of a trial, about"""
    points: int = 4


def main() -> None:
    args = tyro.cli(Arguments, description=__doc__)
    folder = Path(tempfile.mkdtemp(prefix="overhead"))
    try:
        timed_sweep(folder / "first", 1, 300)
        last = (folder / "first/points/0/metrics.jsonl").read_text().splitlines()[-1]
        steps = round(args.seconds / json.loads(last)["seconds"] * 30) * 10
        whole, trials = timed_sweep(folder / "swept", args.points, steps)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    times = sorted(trials)
    lengths = [end - start for start, end in times]
    between = [later[0] - sooner[1] for sooner, later in itertools.pairwise(times)]
    beside = whole - sum(lengths)
    rounded = {
        "steps": steps,
        "whole": round(whole, 2),
        "trials": [round(seconds, 2) for seconds in lengths],
        "beside": round(beside, 2),
        "between_two_trials": [round(seconds, 2) for seconds in between],
        "overhead": round(beside / sum(lengths), 4),
    }
    print(json.dumps(rounded, indent=2))


def timed_sweep(out: Path, points: int, steps: int) -> tuple[float, list[tuple[float, float]]]:
    """The seconds of a sweep, and the start and end of each of its trials."""
    words = [sys.executable, "-m", "neuralgpu", "sweep", "copy", "--axis", f"max_steps={steps}", "--seeds", str(points)]
    words += ["--parallel", "1", "--no-prune", "--evaluate-sizes", "41", "--out", str(out)]
    for name, value in TRAINING.items():
        words += ["--set", f"{name}={value}"]
    begun = time.monotonic()
    subprocess.run(words, check=True, capture_output=True)
    whole = time.monotonic() - begun
    trials = []
    for path in sorted(out.glob("points/*")):
        start = json.loads((path / "attempts.jsonl").read_text().splitlines()[0])["time"]
        trials.append((start, (path / "result.json").stat().st_mtime))
    return whole, trials


if __name__ == "__main__":
    main()
