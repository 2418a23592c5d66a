"""The speed of the native engine without the zeros of a pruned network, against the same engine with them.

    python benchmarks/sparse.py            a minute on a free core; writes benchmarks/sparse.json

One training step of hardening and one long sequence, on one thread, for 24 and 48 maps of whose weights 18 and 16 % are
left, as in hardened networks. Both ways are measured in turn; ratios are medians of the rounds' own.
"""

import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import torch
from rich.console import Console
from rich.progress import track
from rich.table import Table

from neuralgpu.engine import native
from neuralgpu.training.recipes import get_recipe
from neuralgpu.training.settings import StagedSettings

KEPT = {24: 0.18, 48: 0.16}
LONG, LONG_STEPS = 4017, 200
ROUNDS = 9


def weights(maps: int) -> tuple[torch.Tensor, torch.Tensor]:
    U = torch.empty(3, 3, maps, maps).uniform_(-0.5, 0.5) * (torch.rand(3, 3, maps, maps) < KEPT[maps])
    return U.requires_grad_(), torch.zeros(3, maps, requires_grad=True)


def training_step(maps: int) -> Callable[[bool], None]:
    U, B = weights(maps)
    settings = get_recipe("exact").settings
    assert isinstance(settings, StagedSettings)
    harden = settings.harden
    states = [torch.rand(settings.fit.batch, length, maps) * 2 - 1 for length in harden.lengths]

    def run(sparse: bool) -> None:
        for s in states:
            out, _ = native.diagonal_rollout(
                s, U, B, s.shape[1], seed=1, threads=1, noise=harden.gate_noise, levels=2, sparse=sparse
            )
            torch.autograd.grad(out.sum(), (U, B))

    return run


def long_sequence(maps: int) -> Callable[[bool], None]:
    U, B = weights(maps)
    s = torch.rand(1, LONG, maps) * 2 - 1

    def run(sparse: bool) -> None:
        with torch.no_grad():
            native.diagonal_rollout(s, U, B, LONG_STEPS, threads=1, levels=2, sparse=sparse)

    return run


def seconds(run: Callable[[bool], None], sparse: bool) -> float:
    start = time.perf_counter()
    run(sparse)
    return time.perf_counter() - start


def main() -> None:
    torch.manual_seed(0)
    cases = {(name, maps): make(maps) for name, make in CASES.items() for maps in KEPT}
    for run in cases.values():
        run(True)
    rounds: dict[tuple[str, int], list[tuple[float, float]]] = {case: [] for case in cases}
    for _ in track(range(ROUNDS), "measuring"):
        for case, run in cases.items():
            rounds[case].append((seconds(run, False), seconds(run, True)))
    rows = [
        {
            "case": name,
            "maps": maps,
            "kept": KEPT[maps],
            "seconds_with_zeros": statistics.median(dense for dense, _ in times),
            "seconds_without": statistics.median(sparse for _, sparse in times),
            "ratio": statistics.median(dense / sparse for dense, sparse in times),
        }
        for (name, maps), times in rounds.items()
    ]
    table = Table("case", "maps", "weights left", "with zeros", "without", "times as fast")
    for row in rows:
        table.add_row(
            str(row["case"]),
            str(row["maps"]),
            f"{row['kept']:.0%}",
            f"{row['seconds_with_zeros']:.4f} s",
            f"{row['seconds_without']:.4f} s",
            f"{row['ratio']:.2f}",
        )
    Console().print(table)
    path = Path(__file__).with_suffix(".json")
    path.write_text(json.dumps(rows, indent=2) + "\n")
    print(f"written to {path}")


CASES: dict[str, Callable[[int], Callable[[bool], None]]] = {
    "a training step of hardening": training_step,
    f"{LONG_STEPS} steps of a sequence of {LONG} cells": long_sequence,
}

if __name__ == "__main__":
    main()
