"""Train networks by the paper's recipe and record how far each generalises.

    python experiments/paper_recipe.py copy --seeds 0 1 2

For each seed this calls `ngpu train` (going on where an earlier call was cut) and writes
experiments/paper_recipe/TASK-SEED.json: what that command says, the minutes, and the step at which the curriculum
reached each size.
"""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro

HERE = Path(__file__).with_suffix("")


@dataclass(frozen=True)
class Arguments:
    """What to train."""

    task: Annotated[str, tyro.conf.Positional]
    """a task of `ngpu tasks`"""
    seeds: tuple[int, ...] = (0,)
    """one network for each"""


def record(task: str, seed: int) -> dict[str, Any]:
    run = Path("runs") / f"{task}-paper-{seed}"
    what = ["--resume", str(run)] if (run / "config.json").exists() else [task, "--seed", str(seed), "--out", str(run)]
    command = [sys.executable, "-m", "neuralgpu.cli", "train", *what, "--json"]
    result: dict[str, Any] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    config = json.loads((run / "config.json").read_text())
    history = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    return {
        "command": f"ngpu train {task} --seed {seed}",
        "engine": config["engine"],
        "threads": config["threads"],
        "minutes": round(history[-1]["seconds"] / 60, 1),
        "first_step_at_size": {line["size"]: line["step"] for line in reversed(history)},
        **result,
    }


def main() -> None:
    args = tyro.cli(Arguments, description=__doc__)
    HERE.mkdir(exist_ok=True)
    for seed in args.seeds:
        path = HERE / f"{args.task}-{seed}.json"
        path.write_text(json.dumps(record(args.task, seed), indent=2) + "\n")
        print(f"written to {path}")


if __name__ == "__main__":
    main()
