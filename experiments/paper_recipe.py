"""Train networks by the paper's recipe and record how far each generalises.

    python experiments/paper_recipe.py copy --seeds 0 1 2
    python experiments/paper_recipe.py badd --max-steps 20000

For each seed this trains in runs/ (going on where an earlier call was cut), scores random inputs, and writes
experiments/paper_recipe/TASK-SEED.json: steps, minutes, the step at which the curriculum reached each size, and scores.
"""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import torch
import tyro
from rich.console import Console

from neuralgpu.cli.display import TrainingDisplay
from neuralgpu.cli.tables import chosen_sizes, evaluate_sizes, score_table
from neuralgpu.network import load
from neuralgpu.training.config import RunConfig
from neuralgpu.training.directory import RunDirectory
from neuralgpu.training.loop import train
from neuralgpu.training.paper import PaperTrainer
from neuralgpu.training.recipes import EVALUATION_LENGTHS, PAPER

HERE = Path(__file__).with_suffix("")


@dataclass(frozen=True)
class Arguments:
    """What to train."""

    task: Annotated[str, tyro.conf.Positional]
    """a task of `ngpu tasks`"""
    seeds: tuple[int, ...] = (0,)
    """one network for each"""
    max_steps: int = PAPER.max_steps
    """training stops here at the latest"""
    lengths: tuple[int, ...] = EVALUATION_LENGTHS
    """tape lengths that are scored"""
    count: int = 100
    """inputs at each length"""
    threads: int = torch.get_num_threads()
    """CPU threads"""


def run(args: Arguments, seed: int) -> dict[str, object]:
    recipe = replace(PAPER, max_steps=args.max_steps)
    config = RunConfig(args.task, "paper", seed, recipe)
    path = Path("runs") / f"{args.task}-paper-{seed}"
    directory = RunDirectory(path) if (path / "config.json").exists() else RunDirectory.create(path, config)
    trainer = PaperTrainer(directory.config, recipe)
    with TrainingDisplay(trainer) as display:
        for metrics in train(directory, trainer, checkpoint_seconds=30, stop=lambda: False):
            display.show(metrics)
    history = [json.loads(line) for line in directory.metrics_path.read_text().splitlines()]
    network = load(path)
    scores = evaluate_sizes(network, chosen_sizes(network.task, (), args.lengths), args.count, seed=0)
    Console().print(score_table(network.task, scores))
    return {
        "task": args.task,
        "seed": seed,
        "steps": trainer.step,
        "minutes": round(history[-1]["seconds"] / 60, 1),
        "threads": args.threads,
        "engine": trainer.model.engine,
        "size_reached": trainer.curriculum.size,
        "largest_size": trainer.curriculum.largest,
        "first_step_at_size": {m["size"]: m["step"] for m in reversed(history)},
        "scores": [score.to_dict() for score in scores],
    }


def main() -> None:
    args = tyro.cli(Arguments, description=__doc__)
    torch.set_num_threads(args.threads)
    HERE.mkdir(exist_ok=True)
    for seed in args.seeds:
        path = HERE / f"{args.task}-{seed}.json"
        path.write_text(json.dumps(run(args, seed), indent=2) + "\n")
        print(f"written to {path}")


if __name__ == "__main__":
    main()
