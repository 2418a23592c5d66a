"""The speed of the engines against each other and against a large matrix product, all measured in turn in one run.

    python benchmarks/engines.py            four minutes on two free cores; writes benchmarks/engines.json
    python benchmarks/engines.py --quick    one minute; fewer rounds, short inference, nothing written

Seconds depend on the machine and on its other work; the ratios, taken round by round, much less. Where other work
keeps the cores busy, set OMP_WAIT_POLICY=PASSIVE: torch's threads otherwise burn their time slices waiting for each
other, and its times mean nothing.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from torch import Tensor

from neuralgpu import engine
from neuralgpu.engine import native
from neuralgpu.models import diagonal
from neuralgpu.models.neural_gpu import cgru

CGRU, DIAGONAL, GEMM = "CGRU", "Diagonal", "GEMM"
CAPTION = (
    "CGRU: one training step at m=24, w=4, l=2, batch 32, n=41. Diagonal: one at m=96, nine lengths x 32. "
    "GEMM: the product of two 2048 x 2048 matrices."
)
LENGTHS = (8, 12, 16, 20, 25, 28, 31, 36, 41)
INFERENCE = (41, 401, 1001, 2001, 4001)
LAYERS, WIDTH = 2, 4


@dataclass(frozen=True)
class Case:
    """Something to time, and what it computes."""

    name: str
    engine: str
    gflop: float
    run: Callable[[], object]


@dataclass(frozen=True)
class Row:
    """A case's median over the rounds, with ratios that are medians of the rounds' own."""

    name: str
    engine: str
    threads: int
    seconds: float
    gflop_per_s: float
    of_gemm: float
    against_eager: float


@dataclass(frozen=True)
class Inference:
    """One sequence of n cells through n steps; seconds are those of `steps_timed`, scaled up to all n."""

    cell: str
    engine: str
    n: int
    steps_timed: int
    seconds: float
    against_eager: float


def rollout(step: Callable[..., Tensor], s: Tensor, U: Tensor, B: Tensor, steps: int) -> Tensor:
    for _ in range(steps):
        s = step(s, U, B)
    return s


def cgru_step(s: Tensor, U: Tensor, B: Tensor) -> Tensor:
    for layer in range(LAYERS):
        s = cgru(s, U[0, layer], B[0, layer], True)
    return s


def cgru_weights(m: int = 24) -> tuple[Tensor, Tensor]:
    U = torch.empty(1, LAYERS, 3, 3, 3, m, m).uniform_(-0.212, 0.212)
    return U.requires_grad_(), torch.ones(1, LAYERS, 3, m, requires_grad=True)


def diagonal_weights(m: int = 96) -> tuple[Tensor, Tensor]:
    return torch.empty(3, 3, m, m).uniform_(-0.1, 0.1).requires_grad_(), torch.zeros(3, m, requires_grad=True)


def training_cases(compiled: bool) -> list[Case]:
    """A forward and a backward pass of each model by each engine."""
    matrix = torch.randn(2048, 2048)
    U, B = cgru_weights()
    s = torch.randn(32, 41, WIDTH, 24)
    V, C = diagonal_weights()
    states = [torch.rand(32, n, 96) * 2 - 1 for n in LENGTHS]

    def train_cgru(forward: Callable[..., Tensor]) -> Callable[[], object]:
        return lambda: torch.autograd.grad(forward(s, U, B, 41).sum(), (U, B))

    def train_diagonal(forward: Callable[..., tuple[Tensor, Tensor]]) -> Callable[[], object]:
        def step() -> object:
            results = [forward(x, V, C, x.shape[1]) for x in states]
            return torch.autograd.grad(torch.stack([out.sum() + cost for out, cost in results]).sum(), (V, C))

        return step

    cell_steps = 32 * 41 * 41 * WIDTH
    cgru_gflop = 3 * cell_steps * 2 * 9 * 24**2 * 3 * LAYERS / 1e9
    diagonal_gflop = sum(3 * 32 * n * n * 2 * 3 * 96**2 * 3 for n in LENGTHS) / 1e9
    cases = [
        Case(GEMM, "torch eager", 2 * 2048**3 / 1e9, lambda: matrix @ matrix),
        Case(CGRU, "torch eager", cgru_gflop, train_cgru(lambda *a: rollout(cgru_step, *a))),
        Case(CGRU, "native", cgru_gflop, train_cgru(native.cgru_rollout)),
        Case(DIAGONAL, "torch eager", diagonal_gflop, train_diagonal(diagonal.rollout)),
        Case(DIAGONAL, "native", diagonal_gflop, train_diagonal(native.diagonal_rollout)),
    ]
    if compiled:
        step = torch.compile(cgru_step)
        cases.insert(2, Case(CGRU, "torch compiled", cgru_gflop, train_cgru(lambda *a: rollout(step, *a))))
    return cases


def seconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def note(progress: Progress, text: str) -> None:
    """A line of progress where there is no terminal to draw a bar on."""
    if not progress.console.is_terminal:
        print(text, flush=True)


def measure_training(threads: int, rounds: int, compiled: bool, progress: Progress) -> list[Row]:
    """All cases once to warm up, then in turn, round after round."""
    torch.set_num_threads(threads)
    cases = training_cases(compiled)
    task = progress.add_task(f"training, {threads} thread(s)", total=(rounds + 1) * len(cases))
    times: list[list[float]] = [[] for _ in cases]
    for turn in range(rounds + 1):
        note(progress, f"training, {threads} thread(s): round {turn} of {rounds}")
        for k, case in enumerate(cases):
            elapsed = seconds(case.run)
            if turn:
                times[k].append(elapsed)
            progress.advance(task)
    eager = {case.name: times[k] for k, case in enumerate(cases) if case.engine == "torch eager"}
    rows = []
    for case, own in zip(cases, times, strict=True):
        gemm = [2 * 2048**3 / 1e9 / t for t in times[0]]
        share = statistics.median(case.gflop / t / g for t, g in zip(own, gemm, strict=True))
        ratio = statistics.median(e / t for e, t in zip(eager[case.name], own, strict=True))
        middle = statistics.median(own)
        rows.append(Row(case.name, case.engine, threads, middle, case.gflop / middle, share, ratio))
    return rows


@torch.no_grad()
def measure_inference(rounds: int, steps: int, whole: int, progress: Progress) -> list[Inference]:
    """The engines in turn through the same number of steps, then native through all n where n is at most `whole`."""
    (U, B), (V, C) = cgru_weights(), diagonal_weights()
    cells: dict[str, tuple[Callable[[int], Tensor], tuple[Callable[[Tensor, int], object], ...]]] = {
        CGRU: (
            lambda n: torch.randn(1, n, WIDTH, 24),
            (lambda s, k: rollout(cgru_step, s, U, B, k), lambda s, k: native.cgru_rollout(s, U, B, k)),
        ),
        DIAGONAL: (
            lambda n: torch.rand(1, n, 96) * 2 - 1,
            (lambda s, k: diagonal.rollout(s, V, C, k), lambda s, k: native.diagonal_rollout(s, V, C, k)),
        ),
    }
    results = []
    task = progress.add_task("inference", total=len(cells) * len(INFERENCE))
    for cell, (state, runs) in cells.items():
        for n in INFERENCE:
            note(progress, f"inference, {cell}: n = {n}")
            s, timed = state(n), min(n, steps)
            turns = [[seconds(lambda: run(s, timed)) for run in runs] for _ in range(rounds + 1)][1:]  # noqa: B023
            ratio = statistics.median(eager / own for eager, own in turns)
            eager, own = (statistics.median(times) * n / timed for times in zip(*turns, strict=True))
            results.append(Inference(cell, "torch eager", n, timed, eager, 1.0))
            if n <= whole:
                own, timed = seconds(lambda: runs[1](s, n)), n  # noqa: B023
            results.append(Inference(cell, "native", n, timed, own, ratio))
            progress.advance(task)
    return results


MEMORY = """
import re, torch
from torch import zeros
peak = lambda: int(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1]) / 1024
before = peak()
from neuralgpu.engine.native import cgru_rollout, diagonal_rollout
with torch.no_grad():
    {call}
print(peak() - before)
"""


def measure_memory() -> dict[str, float]:
    """Megabytes that native inference at n = 4001 adds to the import of torch; they do not depend on the steps."""
    calls = {
        CGRU: "cgru_rollout(zeros(1, 4001, 4, 24), zeros(1, 2, 3, 3, 3, 24, 24), zeros(1, 2, 3, 24), 20)",
        DIAGONAL: "diagonal_rollout(zeros(1, 4001, 96), zeros(3, 3, 96, 96), zeros(3, 96), 20)",
    }
    return {
        cell: float(subprocess.run([sys.executable, "-c", MEMORY.format(call=call)], stdout=-1, check=True).stdout)
        for cell, call in calls.items()
    }


def show(rows: list[Row], inference: list[Inference], memory: dict[str, float], console: Console) -> None:
    table = Table("step", "engine", "threads", "seconds", "GFLOP/s", "of GEMM", "x eager", caption=CAPTION)
    for row in rows:
        numbers = (f"{row.seconds:.3f}", f"{row.gflop_per_s:.0f}", f"{row.of_gemm:.0%}", f"{row.against_eager:.2f}")
        table.add_row(row.name, row.engine, str(row.threads), *numbers)
    console.print(table)
    for name in (CGRU, DIAGONAL):
        own = [row for row in rows if row.engine == "native" and row.name == name]
        if len(own) == 2:
            console.print(f"{name}: {own[1].threads} threads are {own[0].seconds / own[1].seconds:.2f} x one thread")
    table = Table("one sequence", "n", "eager, s", "steps", "native, s", "steps", "x eager", "native ns / n^2")
    for slow, fast in zip(inference[::2], inference[1::2], strict=True):
        numbers = (f"{slow.seconds:.3g}", str(slow.steps_timed), f"{fast.seconds:.3g}", str(fast.steps_timed))
        table.add_row(
            fast.cell, str(fast.n), *numbers, f"{fast.against_eager:.2f}", f"{fast.seconds / fast.n**2 * 1e9:.0f}"
        )
    console.print(table)
    for cell, megabytes in memory.items():
        console.print(f"{cell}: native inference at n = 4001 takes {megabytes:.0f} MB above the import of torch")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer rounds and short inference; writes nothing")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="threads to compare with one (all)")
    parser.add_argument("--no-compile", action="store_true", help="leave out torch.compile, which takes a minute")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_suffix(".json"))
    options = parser.parse_args()
    console = Console()
    if not engine.available():
        raise SystemExit(f"the native engine is not available: {engine.why()}")
    torch.manual_seed(0)
    load = os.getloadavg()[0]
    console.print(f"native engine: {engine.why()}; torch {torch.__version__}; load before the run {load:.1f}")
    with Progress(console=console) as progress:
        rows = [] if options.threads == 1 else measure_training(1, 2 if options.quick else 5, False, progress)
        rounds = 3 if options.quick else 9
        rows += measure_training(options.threads, rounds, not options.no_compile, progress)
        inference = measure_inference(3, 10 if options.quick else 60, 401 if options.quick else 4001, progress)
    memory = measure_memory()
    show(rows, inference, memory, console)
    if options.quick:
        return
    result = {
        "machine": {"processor": processor(), "cores": os.cpu_count()},
        "load_before": load,
        "omp_wait_policy": os.environ.get("OMP_WAIT_POLICY", "default"),
        "torch": torch.__version__,
        "instruction_set": engine.instruction_set(),
        "training": [asdict(row) for row in rows],
        "inference": [asdict(row) for row in inference],
        "megabytes_above_torch_at_4001": memory,
    }
    options.out.write_text(json.dumps(result, indent=2) + "\n")
    console.print(f"written to {options.out}")


def processor() -> str:
    info = Path("/proc/cpuinfo")
    names = [line.partition(":")[2].strip() for line in info.read_text().splitlines() if line.startswith("model name")]
    return names[0] if names else platform.processor()


if __name__ == "__main__":
    main()
