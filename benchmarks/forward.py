"""One long input through the paper's network: what it costs beside a rollout of training, a large matrix product, and
with two threads, all measured in turn in one run.

    python benchmarks/forward.py            a minute or two; writes benchmarks/forward.json
    python benchmarks/forward.py --quick    a few seconds; nothing written

Rates of one thread are by its CPU time, which other work on the machine disturbs little; two threads are compared by
the clock on the wall too, which says something only on two free cores.
"""

import argparse
import json
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor

from neuralgpu import engine
from neuralgpu.engine import native
from neuralgpu.models.config import NeuralGPUConfig
from neuralgpu.models.neural_gpu import NeuralGPU

HERE = Path(__file__).parent
WORK = 4_000
"""Cells along the tape times steps of one timed call."""
GEMM = 1024


def timed(clock: Callable[[], float], work: Callable[[], object]) -> float:
    """Seconds of one call."""
    began = clock()
    work()
    return clock() - began


def measured(n: int, rounds: int) -> dict[str, object]:
    """Medians over the rounds for a tape of n cells."""
    model = NeuralGPU(NeuralGPUConfig(), symbols=4)
    s0 = model.embed(torch.randint(1, 4, (1, n), generator=torch.Generator().manual_seed(0)))
    a, b = torch.randn(GEMM, GEMM), torch.randn(GEMM, GEMM)
    steps = max(1, WORK // n)

    def of_training() -> Tensor:
        return native.cgru_rollout(s0, model.U, model.B, steps, threads=1)

    def in_use(threads: int) -> Tensor:
        return native.cgru_advance(s0, model.U, model.B, steps, threads=threads)

    seen: dict[str, list[float]] = {name: [] for name in ("gemm", "rollout", "in use", "both", "wall 1", "wall 2")}
    for _ in range(rounds):
        seen["gemm"].append(timed(time.thread_time, lambda: a @ b))
        seen["rollout"].append(timed(time.thread_time, of_training))
        seen["in use"].append(timed(time.thread_time, lambda: in_use(1)))
        seen["both"].append(timed(time.process_time, lambda: in_use(2)))
        seen["wall 1"].append(timed(time.perf_counter, lambda: in_use(1)))
        seen["wall 2"].append(timed(time.perf_counter, lambda: in_use(2)))

    def ratio(one: str, other: str) -> float:
        return statistics.median(x / y for x, y in zip(seen[one], seen[other], strict=True))

    cell_steps = n * steps * 4 * 2  # of width 4 and two layers
    direct, gemm = cell_steps * 2 * 3 * 9 * 24**2, 2 * GEMM**3
    tiles = -(-n // 4) * steps * 2
    fewer = tiles * 2 * 3 * 36 * 24**2
    return {
        "n": n,
        "milliseconds a step, in use, one thread": round(1000 * statistics.median(seen["in use"]) / steps, 3),
        "times as fast as a rollout of training": round(ratio("rollout", "in use"), 2),
        "rollout, GFLOP/s over those of the matrix product": round(direct / gemm * ratio("gemm", "rollout"), 2),
        "in use, GFLOP/s over those of the matrix product": round(fewer / gemm * ratio("gemm", "in use"), 2),
        "two threads, CPU time over that of one": round(ratio("both", "in use"), 2),
        "two threads, times as fast as one": round(ratio("wall 1", "wall 2"), 2),
    }


@torch.inference_mode()
def main() -> None:
    """Measure, print, and write the result unless it is a quick look."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few rounds, and nothing written")
    quick = parser.parse_args().quick
    torch.set_num_threads(1)
    measured(41, 2)  # threads start, memory is touched
    found = [measured(n, 3 if quick else 15) for n in (41, 401, 1001, 4001)]
    result = {
        "instruction set": engine.instruction_set(),
        "cores": os.cpu_count(),
        "load before": round(os.getloadavg()[0], 1),
        "by n": found,
    }
    for row in found:
        print("  ".join(f"{name}: {value}" for name, value in row.items()))
    if not quick:
        (HERE / "forward.json").write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
