"""One seed gives one network: on any number of threads, and with every instruction set that has FMA."""

import os
import subprocess
import sys

import pytest

from neuralgpu import engine
from neuralgpu.engine import library

THREADS = (1, 2, 3, 8)
TRAIN = """
import hashlib
import torch
from neuralgpu.tasks import get_task
from neuralgpu.training.attempt import ROUND_AFTER
from neuralgpu.training.config import configure, with_settings
from neuralgpu.training.recipes import get_recipe
from neuralgpu.training.train import make_trainer

def trainer(task, recipe, threads, changes):
    task = get_task(task)
    return make_trainer(configure(task, recipe, with_settings(get_recipe(recipe), changes), 0, "native", threads), task)

def digest(trainer):
    for _ in range(20):
        trainer.train_step()
    weights = trainer.model.state_dict()
    return hashlib.sha256(b"".join(weights[name].numpy().tobytes() for name in sorted(weights))).hexdigest()

for threads in {threads}:
    fitting = trainer("bmul", "exact", threads, {{"fit.lengths": (8, 25, 41)}})
    hardening = trainer("badd", "exact", threads, {{"harden.lengths": (12, 41)}})
    with torch.no_grad():
        hardening.model.U[torch.rand(hardening.model.U.shape, generator=torch.Generator().manual_seed(0)) > 0.15] = 0
    hardening.attempt.hardening_since, hardening.step = 1, ROUND_AFTER + 1
    wide = trainer("bmul", "diagonal", threads, {{"maps": 48, "fit.batch": 11, "fit.lengths": (20, 31)}})
    paper = trainer("copy", "paper", threads, {{"batch": 5, "curriculum_start": 30}})
    print(threads, digest(fitting), digest(hardening), digest(wide), digest(paper))
"""


def with_fma() -> list[str]:
    """The instruction sets with FMA that were built and run here."""
    best = str(engine.instruction_set())
    order = ("avx2", "avx512") if best != "neon" else ("neon",)
    runs = order[: order.index(best) + 1] if best in order else ()
    return [name for name in runs if (library.HERE / f"libngpu_{name}.so").exists()]


def digests(name: str) -> list[list[str]]:
    """What the trainings end in with each number of threads."""
    done = subprocess.run(
        [sys.executable, "-c", TRAIN.format(threads=THREADS)],
        env={**os.environ, library.FORCE: name},
        capture_output=True,
        text=True,
        check=True,
    )
    return [line.split()[1:] for line in done.stdout.splitlines()]


@pytest.mark.skipif(not with_fma(), reason="no library with FMA runs on this machine")
def test_weights_depend_on_neither_threads_nor_instruction_set() -> None:
    found = [row for name in with_fma() for row in digests(name)]
    assert len(found) == len(THREADS) * len(with_fma())
    for training, ends in zip(("fitting", "hardening", "wide", "paper"), zip(*found, strict=True), strict=True):
        assert len(set(ends)) == 1, training


STACK = """
import hashlib
import numpy as np
from neuralgpu.engine import stack
from neuralgpu.models.baseline_config import StackRNNConfig
from neuralgpu.models.stack_rnn import StackRNN

net, rng = StackRNN(StackRNNConfig(), symbols=4), np.random.default_rng(0)
texts, lengths, firsts = rng.integers(5, size=(40, 74)), rng.integers(40, 75, size=40), np.full(40, 30)
for every, bptt in ((0, 0), (1, 50)):
    stack.train(net.weights, texts, lengths, firsts, rate=0.01, every=every, bptt=bptt)
print(hashlib.sha256(b"".join(weight.numpy().tobytes() for weight in net.weights)).hexdigest())
"""


@pytest.mark.skipif(not with_fma(), reason="no library with FMA runs on this machine")
def test_weights_of_a_stack_rnn_do_not_depend_on_the_instruction_set() -> None:
    environments = [{**os.environ, library.FORCE: name} for name in with_fma()]
    commands = [
        subprocess.run([sys.executable, "-c", STACK], env=environment, capture_output=True, text=True, check=True)
        for environment in environments
    ]
    assert len({done.stdout for done in commands}) == 1


def run_info(value: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, library.FORCE: value}
    return subprocess.run(
        [sys.executable, "-m", "neuralgpu", "info", "--json"], env=environment, capture_output=True, text=True
    )


@pytest.mark.skipif(not engine.available(), reason=engine.why())
def test_a_forced_instruction_set_is_shown() -> None:
    name = "neon" if engine.instruction_set() == "neon" else "baseline"
    done = run_info(name)
    assert done.returncode == 0
    assert f"native, {name}" in done.stdout
    assert f"forced by {library.FORCE}" in done.stdout


@pytest.mark.skipif(not engine.available(), reason=engine.why())
def test_a_forced_instruction_set_that_is_none_is_told_and_never_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    done = run_info("avx1024")
    assert "NEURALGPU_INSTRUCTION_SET is 'avx1024'; it must be one that was built and runs here" in done.stdout
    monkeypatch.setenv(library.FORCE, "avx1024")
    monkeypatch.setattr(engine, "load", lambda: library.load.__wrapped__(library.HERE))
    with pytest.raises(ValueError, match="'avx1024'; it must be one that was built"):
        engine.choose("auto", None)
    assert engine.choose("torch", None) == "torch"


@pytest.mark.skipif("CI" not in os.environ, reason="a machine without a compiler may do without the native engine")
def test_in_ci_the_best_library_was_built() -> None:
    assert engine.available(), engine.why()
    assert "as no" not in engine.why()
