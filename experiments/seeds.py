"""Train networks by one recipe from several seeds and record how far each generalises.

    python experiments/seeds.py copy --recipe paper --seeds 0 1 2
    python experiments/seeds.py badd --recipe addition --seeds 0 1 2 3 4 --scores 401:100 4001:20

For each seed this calls `ngpu train` (going on where an earlier call was cut) and `ngpu evaluate`, on inputs of a seed
that no training looks at, and writes experiments/RECIPE_recipe/TASK-SEED.json: the command, the minutes, the scores
and, where there is a curriculum, the step at which it reached each size.
"""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro

from neuralgpu.training.config import load_config, train_command


@dataclass(frozen=True)
class Arguments:
    """What to train."""

    task: Annotated[str, tyro.conf.Positional]
    """a task of `ngpu tasks`"""
    recipe: str = "paper"
    """how"""
    maps: int = 0
    """numbers in a cell; 0: the recipe's"""
    seeds: tuple[int, ...] = (0,)
    """one network for each"""
    scores: tuple[str, ...] = ("41:100", "51:100", "201:100", "401:100", "4001:20")
    """tape lengths, each with its number of random inputs"""
    evaluation_seed: int = 1
    """decides these inputs"""
    threads: int = 0
    """CPU threads; 0 takes all cores"""


def ngpu(*words: object) -> Any:
    command = [sys.executable, "-m", "neuralgpu.cli", *map(str, words), "--json"]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def record(args: Arguments, seed: int) -> dict[str, Any]:
    run = Path("runs") / f"{args.task}-{args.recipe}-{seed}"
    words = [args.task, "--recipe", args.recipe, "--seed", seed, *(["--maps", args.maps] if args.maps else [])]
    what = ["--resume", run] if (run / "config.json").exists() else [*words, "--out", run, "--threads", args.threads]
    ngpu("train", *what, "--evaluate-count", 0)
    config = load_config(run / "config.json")
    history = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    scores = []
    for pair in args.scores:
        length, count = pair.split(":")
        evaluation = ("--seed", args.evaluation_seed, "--threads", args.threads)
        scores += ngpu("evaluate", run, "--lengths", length, "--count", count, *evaluation)["scores"]
    return {
        "command": train_command(config),
        "engine": config.engine,
        "threads": config.threads,
        "steps": history[-1]["step"],
        "minutes": round(history[-1]["seconds"] / 60, 1),
        "first_step_at_size": {line["size"]: line["step"] for line in reversed(history) if "size" in line},
        "evaluation_seed": args.evaluation_seed,
        "scores": scores,
    }


def main() -> None:
    args = tyro.cli(Arguments, description=__doc__)
    home = Path(__file__).parent / f"{args.recipe}_recipe"
    home.mkdir(exist_ok=True)
    for seed in args.seeds:
        path = home / f"{args.task}-{seed}.json"
        path.write_text(json.dumps(record(args, seed), indent=2) + "\n")
        print(f"written to {path}", flush=True)


if __name__ == "__main__":
    main()
