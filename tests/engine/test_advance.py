"""The native engine for a network in use: the steps of a rollout, without what training needs."""

import hashlib
import os
import subprocess
import sys

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from neuralgpu import engine
from neuralgpu.engine import library, native
from neuralgpu.models.neural_gpu import rollout

pytestmark = pytest.mark.skipif(not engine.available(), reason=engine.why())

SHAPES = ((4, 24), (2, 48), (6, 16), (8, 64), (4, 8), (3, 24))
"""Width and maps: tiles of four columns, of two, and a width that has none."""


def inputs(batch: int, n: int, w: int, m: int, seed: int = 0, sets: int = 2) -> tuple[Tensor, Tensor, Tensor]:
    """s0, U and B of a network whose states do not grow."""
    g = torch.Generator().manual_seed(seed)
    a = (3 / (9 * m)) ** 0.5
    U = torch.empty(sets, 2, 3, 3, 3, m, m).uniform_(-a, a, generator=g)
    return torch.empty(batch, n, w, m).uniform_(-1, 1, generator=g), U, torch.rand(sets, 2, 3, m, generator=g)


@settings(max_examples=40, derandomize=True)
@given(
    batch=st.integers(1, 5),
    n=st.integers(1, 60),
    shape=st.sampled_from(SHAPES),
    steps=st.integers(0, 12),
    cutoff=st.booleans(),
    threads=st.integers(1, 4),
    seed=st.integers(0, 2**32),
)
def test_a_network_in_use_agrees_with_torch_in_double_precision(
    batch: int, n: int, shape: tuple[int, int], steps: int, cutoff: bool, threads: int, seed: int
) -> None:
    s0, U, B = inputs(batch, n, *shape, seed)
    used = native.cgru_advance(s0, U, B, steps, cutoff, threads=threads)
    exact = rollout(s0.double(), U.double(), B.double(), steps, cutoff=cutoff)
    torch.testing.assert_close(used.double(), exact, rtol=0, atol=5e-5)


@pytest.mark.parametrize(("w", "m"), SHAPES)
@pytest.mark.parametrize("n", [3, 16, 41, 200])
def test_a_state_depends_on_neither_threads_nor_what_else_is_computed(w: int, m: int, n: int) -> None:
    s0, U, B = inputs(5, n, w, m)
    alone = torch.cat([native.cgru_advance(s[None], U, B, 6, threads=1) for s in s0.unbind()])
    for threads in (1, 2, 3, 16):
        assert torch.equal(native.cgru_advance(s0, U, B, 6, threads=threads), alone)


def with_fma() -> list[str]:
    """The instruction sets with FMA that were built and run here."""
    sets = library.WORST_TO_BEST[1:]
    runs = sets[: sets.index(best) + 1] if (best := str(engine.instruction_set())) in sets else ()
    return [name for name in runs if (library.HERE / f"libngpu_{name}.so").exists()]


USE = """
import hashlib
from neuralgpu.engine import native
from test_advance import SHAPES, inputs

states = [native.cgru_advance(*inputs(2, 41, *shape), 20, threads=2) for shape in SHAPES]
print(hashlib.sha256(b"".join(state.numpy().tobytes() for state in states)).hexdigest())
"""


@pytest.mark.skipif(not with_fma(), reason="no library with FMA runs on this machine")
def test_a_state_has_the_same_bits_on_every_instruction_set_with_fma() -> None:
    def digest(name: str) -> str:
        environment = {**os.environ, library.FORCE: name, "PYTHONPATH": os.pathsep.join(sys.path)}
        return subprocess.check_output([sys.executable, "-c", USE], env=environment, text=True)

    assert len({digest(name) for name in with_fma()}) == 1
    here = [native.cgru_advance(*inputs(2, 41, *shape), 20, threads=1) for shape in SHAPES]
    if engine.instruction_set() in with_fma():
        assert hashlib.sha256(b"".join(s.numpy().tobytes() for s in here)).hexdigest() == digest(with_fma()[0]).strip()


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("levels", [0, 8])
def test_a_diagonal_network_in_use_has_the_bits_of_a_rollout(sparse: bool, levels: int) -> None:
    g = torch.Generator().manual_seed(0)
    s0, B = torch.rand(3, 50, 24, generator=g) * 2 - 1, torch.rand(3, 24, generator=g)
    U = (torch.rand(3, 3, 24, 24, generator=g) - 0.5) * (torch.rand(3, 3, 24, 24, generator=g) < 0.2)
    whole = native.diagonal_rollout(s0, U, B, 40, levels=levels, sparse=sparse)[0]
    assert torch.equal(native.diagonal_advance(s0, U, B, 40, levels, sparse=sparse), whole)
