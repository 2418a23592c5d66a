"""What share of a training step is spent on sampling its minibatch, at the paper's size.

    python benchmarks/sampling.py

Sampling and steps are timed in turn, in one process; the table shows the ratio of their medians. `pool` draws from
10,000 stored examples as the paper does, `fresh` makes new ones. Written to benchmarks/sampling.json.
"""

import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from neuralgpu.evaluation.sizes import training_size
from neuralgpu.tasks import TASKS
from neuralgpu.training.config import configure, with_settings
from neuralgpu.training.data import TrainingData
from neuralgpu.training.recipes import get_recipe
from neuralgpu.training.train import make_trainer

ROUNDS = 5
BATCH = 32


def seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def measure(name: str) -> dict[str, float]:
    task = TASKS[name]
    size = training_size(task)
    changes = {"curriculum_start": size, "mixing": 0.0, "relaxation_sets": 1}
    trainer = make_trainer(configure(task, "paper", with_settings(get_recipe("paper"), changes), seed=0), task)
    rng = np.random.default_rng(0)
    data = {"pool": TrainingData(task, 10_000, seed=0), "fresh": TrainingData(task, 0, seed=0)}
    for source in data.values():
        source.minibatch(rng, BATCH, size)
    times: dict[str, list[float]] = {"step": [], "pool": [], "fresh": []}
    trainer.train_step()  # the first step is slower
    for _ in range(ROUNDS):
        times["step"].append(seconds(trainer.train_step))
        for kind, source in data.items():
            times[kind].append(seconds(partial(source.minibatch, rng, BATCH, size)))
    step = median(times["step"])
    return {kind: median(times[kind]) / step for kind in data}


def main() -> None:
    shares = {name: measure(name) for name in track(TASKS, "measuring")}
    table = Table("task", "pool / step", "fresh / step")
    for name, share in shares.items():
        table.add_row(name, f"{share['pool']:.3%}", f"{share['fresh']:.3%}")
    Console().print(table)
    path = Path(__file__).with_suffix(".json")
    path.write_text(json.dumps(shares, indent=2) + "\n")
    print(f"written to {path}")


if __name__ == "__main__":
    main()
