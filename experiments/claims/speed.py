"""Claim: "The joint forward-backward step time for this network was about 0.6s on an NVIDIA GTX 970 GPU."

    python experiments/claims/speed.py
    python experiments/claims/speed.py --maps 24 --rounds 1 --out /tmp/speed.json

The network has two layers, m = 64 and w = 4. The paper's n = 32 are bits: its 128 layers of CGRUs are 64 steps of two
layers on images of 4 x 64 x 64 numbers, 32 of them in a minibatch. Both engines make the same step in turn, on the same
tapes, from embedding to gradients; there is no optimiser in it. Seconds of the processor are those of all threads
together; other work on the machine makes the others longer. Writes experiments/claims/speed.json.
"""

import json
import platform
import statistics
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
import tyro

from neuralgpu import engine
from neuralgpu.cores import available_cores
from neuralgpu.engine.compute import Compute
from neuralgpu.models.config import NeuralGPUConfig
from neuralgpu.models.neural_gpu import NeuralGPU
from neuralgpu.runs.files import write_atomically

PAPER_SECONDS = 0.6
RESULT = Path(__file__).with_suffix(".json")


@dataclass(frozen=True)
class Arguments:
    """The size of the step; the defaults are the paper's."""

    maps: int = 64
    """m"""
    cells: int = 64
    """of a tape, and the steps on it"""
    batch: int = 32
    """tapes"""
    rounds: int = 3
    """steps of each engine that are timed, after one that is not"""
    threads: int = 0
    """CPU threads; 0 takes all cores"""
    engines: tuple[str, ...] = ("native", "torch")
    """engines to time"""
    out: Path = RESULT
    """where the result goes"""


def main() -> None:
    args = tyro.cli(Arguments, description=__doc__)
    threads = args.threads or available_cores()
    timed = {name: timing(args, name, threads) for name in args.engines}
    best = min(found["seconds"] for found in timed.values())
    result = {
        "claim": "One step forward and backward at m = 64, 32 bits, two layers and batch 32 takes 0.6 s on a GTX 970.",
        "finding": f"{best} s on {threads} cores of this CPU, {best / PAPER_SECONDS:.1f} times the paper's 0.6 s.",
        "command": "python experiments/claims/speed.py",
        "size": {"maps": args.maps, "cells": args.cells, "batch": args.batch},
        "threads": threads,
        "instruction_set": engine.instruction_set(),
        "torch": torch.__version__,
        "machine": platform.machine(),
        "engines": timed,
    }
    write_atomically(args.out, (json.dumps(result, indent=2) + "\n").encode())
    print(json.dumps(result, indent=2))


def timing(args: Arguments, name: str, threads: int) -> dict[str, Any]:
    """Medians over the rounds of one engine."""
    torch.set_num_threads(threads)
    compute = Compute("native" if name == "native" else "torch", threads)
    model = NeuralGPU(NeuralGPUConfig(maps=args.maps), symbols=4, compute=compute)
    tapes = torch.randint(4, (args.batch, args.cells), generator=torch.Generator().manual_seed(0))
    walls, processors = [], []
    for number in range(args.rounds + 1):
        wall, processor = time.perf_counter(), time.process_time()
        model.zero_grad()
        F.cross_entropy(model(tapes, args.cells).flatten(0, 1), tapes.flatten()).backward()  # type: ignore[no-untyped-call]
        if number:
            walls.append(time.perf_counter() - wall)
            processors.append(time.process_time() - processor)
    seconds = statistics.median(walls)
    return {
        "seconds": round(seconds, 6),
        "processor_seconds": round(statistics.median(processors), 6),
        "gflop_per_second": round(gflop(args) / seconds, 1),
    }


def gflop(args: Arguments) -> float:
    """Of the convolutions of two layers, forward and backward, the latter counted as twice the former."""
    cell = 2 * 3 * 9 * args.maps**2  # one cell through the three kernel banks of a layer
    return 3 * 2 * cell * args.batch * args.cells * 4 * args.cells / 1e9


if __name__ == "__main__":
    main()
