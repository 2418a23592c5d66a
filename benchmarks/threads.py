"""A training step of the recipe `exact` on two threads, against one.

    python benchmarks/threads.py           a minute on two free cores; writes benchmarks/threads.json

Whole steps of the trainer on multiplication, examples and optimiser included, with the maps of its narrow and of its
wide attempts, while fitting and in hardening after pruning. Both ways are measured in turn; ratios are medians of the
rounds' own.
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
from neuralgpu.training.attempt import ROUND_AFTER
from neuralgpu.training.config import configure, with_settings
from neuralgpu.training.recipes import get_recipe
from neuralgpu.training.staged import StagedTrainer
from neuralgpu.training.train import make_trainer

MAPS = (24, 48)
KEPT = 0.15
STEPS, ROUNDS = 8, 9


def fitting(maps: int) -> StagedTrainer:
    task = get_task("bmul")
    recipe = with_settings(get_recipe("exact"), {"maps": maps})
    trainer = make_trainer(configure(task, "exact", recipe, seed=0), task)
    assert isinstance(trainer, StagedTrainer)
    return trainer


def hardening(maps: int) -> StagedTrainer:
    trainer = fitting(maps)
    with torch.no_grad():
        U = trainer.model.get_parameter("U")
        U[torch.rand_like(U) >= KEPT] = 0
    trainer.attempt.hardening_since, trainer.step = 1, ROUND_AFTER + 1
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
    cases = {(maps, phase): make(maps) for maps in MAPS for phase, make in phases.items()}
    for trainer in cases.values():
        seconds(trainer, 1)
    rounds: dict[tuple[int, str], list[tuple[float, float]]] = {case: [] for case in cases}
    for _ in track(range(ROUNDS), "measuring"):
        for case, trainer in cases.items():
            rounds[case].append((seconds(trainer, 1), seconds(trainer, 2)))
    rows = [
        {
            "maps": maps,
            "phase": phase,
            "seconds_one_thread": statistics.median(one for one, _ in times),
            "seconds_two_threads": statistics.median(two for _, two in times),
            "ratio": statistics.median(one / two for one, two in times),
        }
        for (maps, phase), times in rounds.items()
    ]
    table = Table("maps", "phase", "one thread", "two threads", "times as fast")
    for row in rows:
        one, two = (f"{row[key]:.4f} s" for key in ("seconds_one_thread", "seconds_two_threads"))
        table.add_row(str(row["maps"]), str(row["phase"]), one, two, f"{row['ratio']:.2f}")
    Console().print(table)
    path = Path(__file__).with_suffix(".json")
    path.write_text(json.dumps(rows, indent=2) + "\n")
    print(f"written to {path}")


if __name__ == "__main__":
    main()
