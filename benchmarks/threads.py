"""A training step of our own recipes on two threads, against one.

    python benchmarks/threads.py           a minute on two free cores; writes benchmarks/threads.json

Whole steps of the trainer, examples and optimiser included, while fitting and in hardening after pruning. Both ways are
measured in turn; ratios are medians of the rounds' own.
"""

import json
import statistics
import time
from dataclasses import replace
from pathlib import Path

import torch
from rich.console import Console
from rich.progress import track
from rich.table import Table

from neuralgpu.tasks import get_task
from neuralgpu.training.config import configure
from neuralgpu.training.recipes import get_recipe
from neuralgpu.training.staged import StagedTrainer
from neuralgpu.training.train import make_trainer

TASKS = {"addition": "badd", "exact": "bmul"}
KEPT = 0.15
STEPS, ROUNDS = 8, 9


def fitting(recipe: str) -> StagedTrainer:
    task = get_task(TASKS[recipe])
    trainer = make_trainer(configure(task, recipe, get_recipe(recipe), seed=0), task)
    assert isinstance(trainer, StagedTrainer)
    return trainer


def hardening(recipe: str) -> StagedTrainer:
    trainer = fitting(recipe)
    with torch.no_grad():
        U = trainer.model.get_parameter("U")
        U[torch.rand_like(U) >= KEPT] = 0
    trainer.attempt.hardening_since, trainer.step = 1, trainer.settings.harden.round_after + 1
    trainer.optimizer = trainer.new_optimizer()
    return trainer


def seconds(trainer: StagedTrainer, threads: int) -> float:
    trainer.model.compute = replace(trainer.compute, threads=threads)
    start = time.perf_counter()
    for _ in range(STEPS):
        trainer.train_step()
    return (time.perf_counter() - start) / STEPS


def main() -> None:
    torch.manual_seed(0)
    phases = {"fitting": fitting, "hardening": hardening}
    cases = {(name, phase): make(name) for name in TASKS for phase, make in phases.items()}
    for trainer in cases.values():
        seconds(trainer, 1)
    rounds: dict[tuple[str, str], list[tuple[float, float]]] = {case: [] for case in cases}
    for _ in track(range(ROUNDS), "measuring"):
        for case, trainer in cases.items():
            rounds[case].append((seconds(trainer, 1), seconds(trainer, 2)))
    rows = [
        {
            "recipe": name,
            "phase": phase,
            "seconds_one_thread": statistics.median(one for one, _ in times),
            "seconds_two_threads": statistics.median(two for _, two in times),
            "ratio": statistics.median(one / two for one, two in times),
        }
        for (name, phase), times in rounds.items()
    ]
    table = Table("recipe", "phase", "one thread", "two threads", "times as fast")
    for row in rows:
        one, two = (f"{row[key]:.4f} s" for key in ("seconds_one_thread", "seconds_two_threads"))
        table.add_row(str(row["recipe"]), str(row["phase"]), one, two, f"{row['ratio']:.2f}")
    Console().print(table)
    path = Path(__file__).with_suffix(".json")
    path.write_text(json.dumps(rows, indent=2) + "\n")
    print(f"written to {path}")


if __name__ == "__main__":
    main()
