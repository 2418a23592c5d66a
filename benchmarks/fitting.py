"""Fitting multiplication with Muon for the kernels, against AdaMax: steps until 90 % of the outputs are exact.

    python benchmarks/fitting.py --seeds 0 1     some minutes a seed on one core; writes benchmarks/fitting.json

Both trainings of a seed begin with the same weights and are the first attempts of the recipe `exact`, but for the
optimiser and the number of steps. Steps are compared and not seconds: orthogonal matrices of this size are little work
beside the gradients.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tyro
from rich.console import Console
from rich.progress import track
from rich.table import Table

from neuralgpu.tasks import get_task
from neuralgpu.training.config import configure, with_settings
from neuralgpu.training.recipes import get_recipe
from neuralgpu.training.staged import StagedTrainer
from neuralgpu.training.train import make_trainer

ADAMAX = {"fit.muon": 0.0, "fit.slow_when_exact": 0.0, "fit.learning_rate": 0.008}
"""The recipe `exact` as it would be without Muon: AdaMax takes a higher rate."""


@dataclass(frozen=True)
class Arguments:
    """What to measure."""

    seeds: tuple[int, ...] = (0,)
    """one pair of trainings for each"""
    steps: int = 12_000
    """steps after which a training that has not fitted ends"""


def steps_to_fit(seed: int, steps: int, changes: dict[str, Any]) -> int | None:
    """The step at which hardening begins; None where it does not."""
    task = get_task("bmul")
    recipe = with_settings(get_recipe("exact"), {**changes, "fit.steps": steps, "retry.retries": 0})
    trainer = make_trainer(configure(task, "exact", recipe, seed, threads=1), task)
    assert isinstance(trainer, StagedTrainer)
    while not trainer.attempt.hardening_since and trainer.step < steps:
        trainer.train_step()
    return trainer.attempt.hardening_since or None


def main() -> None:
    args = tyro.cli(Arguments, description=__doc__)
    table = Table("seed", "steps by AdaMax", "by Muon", "times as many")
    rows = []
    for seed in track(args.seeds, "fitting"):
        adamax, muon = (steps_to_fit(seed, args.steps, changes) for changes in (ADAMAX, {}))
        ratio = adamax / muon if adamax and muon else None
        rows.append({"seed": seed, "adamax": adamax, "muon": muon, "ratio": ratio})
        table.add_row(str(seed), str(adamax or "none"), str(muon or "none"), f"{ratio:.2f}" if ratio else "")
    Console().print(table)
    path = Path(__file__).with_suffix(".json")
    path.write_text(json.dumps(rows, indent=2) + "\n")
    print(f"written to {path}")


if __name__ == "__main__":
    main()
