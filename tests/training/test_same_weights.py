"""The same bits as ever: short trainings by every recipe end in weights whose hashes are known.

The hashes are those of one thread of the native engine. A change that alters one of them alters what
`ngpu train` makes of a seed, and with it every figure in the docs.
"""

import hashlib
from dataclasses import dataclass, field
from typing import Any

import pytest

from neuralgpu.engine import instruction_set
from neuralgpu.tasks import get_task
from neuralgpu.training.config import configure, with_settings
from neuralgpu.training.recipes import get_recipe
from neuralgpu.training.train import make_trainer
from neuralgpu.training.trainer import Trainer


@dataclass(frozen=True)
class Case:
    """A training that ends after a number of steps, or when it is finished."""

    task: str
    recipe: str
    steps: int
    hash: str
    seed: int = 0
    changes: dict[str, Any] = field(default_factory=dict)


HARDENING = {
    "fit.lengths": (5, 8),
    "fit.steps": 600,
    "harden.when_exact": 0.01,
    "harden.lengths": (5, 8, 12),
    "harden.steps": 170,
    "harden.ramp": 50,
    "exam.inputs": 10,
    "exam.times": 1.0,
    "exam.shorter_inputs": 20,
    "exam.every": 50,
    "retry.retries": 0,
}
"""Hardening with all that belongs to it, on short tapes."""
UNIFYING = {"batch": 8, "curriculum_threshold": 0.0, "curriculum_block": 2}
"""Every other step, a block passes."""

FITTING = {
    "exact": Case("bmul", "exact", 40, "3481c5c1b5f22007"),
    "exact-duplicate": Case("duplicate", "exact", 30, "8258be0405364387"),
    "paper-muon": Case("badd", "paper-muon", 12, "f3d16e2975155b07"),
    "diagonal": Case("badd", "diagonal", 12, "2c074ec3f978203a", changes={"fit.batch": 2}),
    "diagonal-block": Case(
        "badd", "diagonal", 205, "f260dea07c42a748", changes={"fit.batch": 2, "fit.lengths": (5,), "maps": 24}
    ),
    "paper": Case("badd", "paper", 120, "b113d9917b712bc0", changes={"batch": 8}),
    "paper-unified": Case(
        "copy",
        "paper",
        30,
        "7b5487ce509d7c3d",
        changes={**UNIFYING, "curriculum_start": 36, "relaxation_pull": 0.5},
    ),
    "released": Case("badd", "released", 40, "ff9662c50981c69d", changes={**UNIFYING, "relaxation_pull": 0.05}),
}
HARDENED = {
    "exact": Case("bmul", "exact", 1_000, "6ba2e078db5c4dc6", seed=1, changes={**HARDENING, "retry.retries": 1}),
    "paper-muon": Case("badd", "paper-muon", 1_000, "586c24af527978fa", changes={**HARDENING, "layers": 1, "width": 2}),
}
"""The first in two attempts, of which the better one is kept."""

pytestmark = pytest.mark.skipif(
    instruction_set() not in ("avx2", "avx512"), reason="the hashes are those of fused multiply-adds on x86"
)


def trained(case: Case, threads: int = 1) -> Trainer:
    task = get_task(case.task)
    recipe = with_settings(get_recipe(case.recipe), case.changes)
    trainer = make_trainer(configure(task, case.recipe, recipe, case.seed, "native", threads), task)
    while trainer.step < case.steps and not trainer.finished:
        trainer.train_step()
    return trainer


def hash_of(trainer: Trainer) -> str:
    digest = hashlib.sha256()
    for name, weight in sorted(trainer.model.state_dict().items()):
        digest.update(name.encode() + weight.contiguous().numpy().tobytes())
    return digest.hexdigest()[:16]


@pytest.mark.parametrize("name", FITTING)
def test_a_training_ends_in_the_weights_of_before(name: str) -> None:
    assert hash_of(trained(FITTING[name])) == FITTING[name].hash


@pytest.mark.parametrize("name", ["exact", "released"])
def test_three_threads_end_in_the_weights_of_one(name: str) -> None:
    assert hash_of(trained(FITTING[name], threads=3)) == FITTING[name].hash


@pytest.mark.parametrize("name", HARDENED)
def test_hardening_exams_and_further_attempts_end_in_the_weights_of_before(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("neuralgpu.training.attempt.SHRINK_STEPS", 110)  # all of it within two hundred steps
    monkeypatch.setattr("neuralgpu.training.attempt.ROUND_AFTER", 120)
    monkeypatch.setattr("neuralgpu.training.staged.PRUNE_BELOW", 0.06)
    assert hash_of(trained(HARDENED[name])) == HARDENED[name].hash
