"""Fitting multiplication with Muon for the kernels, against AdaMax: steps and seconds until 90 % of outputs are exact.

    python benchmarks/fitting.py --seeds 0 1     some minutes a seed on one core; writes benchmarks/fitting.json

Both trainings of a seed begin with the same weights and take turns, 20 steps each, so that they meet the same load.
"""

import json
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import torch
import tyro
from rich.console import Console
from rich.table import Table

from neuralgpu.training.config import RunConfig
from neuralgpu.training.diagonal import DiagonalTrainer
from neuralgpu.training.recipes import EXACT

TURN = 20
"""Steps of one training before the other goes on."""
MUON = replace(EXACT, muon=0.5, slow_at=0.75)


@dataclass
class Fit:
    """How long a training took until hardening began."""

    steps: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class Arguments:
    """What to measure."""

    seeds: tuple[int, ...] = (0,)
    """one pair of trainings for each"""


def compare(seed: int) -> dict[str, Fit]:
    recipes = {"muon": MUON, "adamax": EXACT}
    trainers = {name: DiagonalTrainer(RunConfig("bmul", "exact", seed, r), r) for name, r in recipes.items()}
    fits = {name: Fit() for name in trainers}
    while any(not trainer.hardening_since for trainer in trainers.values()):
        for name, trainer in trainers.items():
            start = time.perf_counter()
            while not trainer.hardening_since:
                trainer.train_step()
                if trainer.step % TURN == 0:
                    break
            fits[name] = Fit(trainer.step, fits[name].seconds + time.perf_counter() - start)
    return fits


def main() -> None:
    args = tyro.cli(Arguments, description=__doc__)
    torch.set_num_threads(1)
    table = Table("seed", "AdaMax", "Muon", "times as many steps", "times as many seconds")
    rows = []
    for seed in args.seeds:
        fits = compare(seed)
        muon, adamax = fits["muon"], fits["adamax"]
        ratios = adamax.steps / muon.steps, adamax.seconds / muon.seconds
        rows.append({"seed": seed, "adamax": asdict(adamax), "muon": asdict(muon), "ratios": ratios})
        words = [f"{fit.steps} steps, {fit.seconds:.0f} s" for fit in (adamax, muon)]
        table.add_row(str(seed), *words, *(f"{ratio:.2f}" for ratio in ratios))
    Console().print(table)
    path = Path(__file__).with_suffix(".json")
    path.write_text(json.dumps(rows, indent=2) + "\n")
    print(f"written to {path}")


if __name__ == "__main__":
    main()
