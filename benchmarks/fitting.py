"""Fitting multiplication with Muon for the kernels, against AdaMax: steps until 90 % of the outputs are exact.

    python benchmarks/fitting.py --seeds 0 1     some minutes a seed on one core; writes benchmarks/fitting.json

Both trainings of a seed begin with the same weights. Steps are compared and not seconds: orthogonal matrices of this
size are little work beside the gradients.
"""

import json
from dataclasses import dataclass, replace
from pathlib import Path

import torch
import tyro
from rich.console import Console
from rich.progress import track
from rich.table import Table

from neuralgpu.training.config import RunConfig
from neuralgpu.training.diagonal import DiagonalTrainer
from neuralgpu.training.recipes import WIDE, DiagonalRecipe

MUON = replace(WIDE, muon=0.5, slow_at=0.75)


@dataclass(frozen=True)
class Arguments:
    """What to measure."""

    seeds: tuple[int, ...] = (0,)
    """one pair of trainings for each"""


def steps_to_fit(seed: int, recipe: DiagonalRecipe) -> int:
    trainer = DiagonalTrainer(RunConfig("bmul", "wide", seed, recipe), recipe)
    while not trainer.hardening_since:
        trainer.train_step()
    return trainer.step


def main() -> None:
    args = tyro.cli(Arguments, description=__doc__)
    torch.set_num_threads(1)
    table = Table("seed", "steps by AdaMax", "by Muon", "times as many")
    rows = []
    for seed in track(args.seeds, "fitting"):
        adamax, muon = steps_to_fit(seed, WIDE), steps_to_fit(seed, MUON)
        rows.append({"seed": seed, "adamax": adamax, "muon": muon, "ratio": adamax / muon})
        table.add_row(str(seed), str(adamax), str(muon), f"{adamax / muon:.2f}")
    Console().print(table)
    path = Path(__file__).with_suffix(".json")
    path.write_text(json.dumps(rows, indent=2) + "\n")
    print(f"written to {path}")


if __name__ == "__main__":
    main()
