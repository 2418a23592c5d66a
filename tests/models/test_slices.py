"""A network in use makes its steps in slices, and nobody can tell from its states."""

import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import pytest
import torch

from neuralgpu import engine, load
from neuralgpu.engine.compute import Compute
from neuralgpu.models import slices
from neuralgpu.models.config import DiagonalConfig, NeuralGPUConfig
from neuralgpu.models.diagonal import Diagonal
from neuralgpu.models.model import TapeModel
from neuralgpu.models.neural_gpu import NeuralGPU
from neuralgpu.models.slices import states_after

TAPES = torch.randint(4, (3, 23), generator=torch.Generator().manual_seed(0))
ENGINES = pytest.mark.parametrize("name", ["torch", *(["native"] if engine.available() else [])])


def relaxed(compute: Compute) -> TapeModel:
    model = NeuralGPU(NeuralGPUConfig(layers=2, width=3, maps=8), symbols=4, seed=1, compute=compute, sets=3)
    with torch.no_grad():
        model.U.add_(0.1 * torch.randn(model.U.shape, generator=torch.Generator().manual_seed(1)))
    return model


def diagonal(compute: Compute) -> TapeModel:
    return Diagonal(DiagonalConfig(maps=24, levels=64), symbols=4, seed=1, compute=compute)


def pruned(compute: Compute) -> TapeModel:
    model = diagonal(compute)
    with torch.no_grad():
        model.U[torch.rand(model.U.shape, generator=torch.Generator().manual_seed(1)) > 0.2] = 0
    return model


@ENGINES
@pytest.mark.parametrize("make", [relaxed, diagonal, pruned])
@torch.inference_mode()
def test_slices_end_in_the_bits_of_one_call(make: Callable[[Compute], TapeModel], name: engine.Engine) -> None:
    model = make(Compute(name, threads=2))
    s0 = model.embed(TAPES)
    whole = model.advance(s0, 0, 23)
    assert torch.equal(model.read(whole), model(TAPES, 23))
    for cut in (1, 2, 7, 22):
        assert torch.equal(model.advance(model.advance(s0, 0, cut), cut, 23 - cut), whole)
    marked = list(states_after(model, TAPES, [5, 17, 23], lambda steps: None))
    assert torch.equal(marked[0], model.advance(s0, 0, 5))
    assert torch.equal(marked[-1], whole)


class Slow(Diagonal):
    """Takes a thousandth of a second for each step of an imagined clock."""

    clock = 0.0

    def advance(self, s: torch.Tensor, t: int, steps: int) -> torch.Tensor:
        Slow.clock += steps / 1000
        return s


def test_a_slice_takes_about_a_tenth_of_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("neuralgpu.models.slices.time.perf_counter", lambda: Slow.clock)
    model = Slow(DiagonalConfig(maps=24), symbols=4)
    made: list[int] = []
    list(states_after(model, TAPES, [90_000], made.append))
    assert sum(made) == 90_000
    assert all(after <= slices.GROWTH * before for before, after in pairwise(made))
    assert set(made[10:-1]) <= {99, 100}


@torch.inference_mode()
def test_a_network_tells_the_steps_that_it_has_made() -> None:
    network = load("reverse", "torch")
    told: list[tuple[int, int]] = []
    tapes = network.task.encode("01" * 20)
    network.answers(tapes, lambda done, total: told.append((done, total)))
    assert told[-1] == (network.steps(tapes.shape[1]),) * 2
    assert [done for done, _ in told] == sorted(done for done, _ in told)


def cpu_seconds(process: int) -> float:
    """What a process has used so far."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.skipif(not engine.available() or sys.platform != "linux", reason="reads /proc of a native run")
def test_a_long_run_shows_a_bar_and_ends_at_once_with_ctrl_c() -> None:
    screen, theirs = pty.openpty()
    program = subprocess.Popen(
        [sys.executable, "-m", "neuralgpu", "run", "copy"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # a shell's background ignores it
    )
    os.close(theirs)
    assert program.stdin is not None
    program.stdin.write(b"01" * 10_000 + b"\n")
    program.stdin.close()
    seen = b""
    while b"thinking" not in seen:
        seen += os.read(screen, 4096)
    before = cpu_seconds(program.pid)
    program.send_signal(signal.SIGINT)
    _, status, used = os.wait4(program.pid, 0)
    program.returncode = os.waitstatus_to_exitcode(status)
    with suppress(OSError):  # what this says where nothing is left of a screen that nobody writes to any more
        while rest := os.read(screen, 4096):
            seen += rest
    os.close(screen)
    assert program.returncode == 130
    assert b"Traceback" not in seen
    assert used.ru_utime + used.ru_stime - before < 2  # of minutes
