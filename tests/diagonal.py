"""A small trainer of the Diagonal Neural GPU, and ways to move it on."""

from dataclasses import replace
from typing import Any

from neuralgpu.models.config import DiagonalConfig
from neuralgpu.training.config import RunConfig
from neuralgpu.training.diagonal import DiagonalTrainer
from neuralgpu.training.recipes import DIAGONAL
from neuralgpu.training.trainer import StepResult

SMALL = replace(DIAGONAL, model=DiagonalConfig(maps=24), lengths=(5, 9), batch=4)


def trainer(task: str = "badd", seed: int = 0, **changes: Any) -> DiagonalTrainer:
    recipe = replace(SMALL, **changes)
    return DiagonalTrainer(RunConfig(task, "diagonal", seed, recipe), recipe)


def train_to(learner: DiagonalTrainer, step: int) -> None:
    while learner.step < step:
        learner.train_step()


def run_steps(learner: DiagonalTrainer, count: int, exact: float) -> None:
    """Let the trainer believe that it ran steps with this share of exact outputs."""
    for _ in range(count):
        learner.step += 1
        learner.after_step(StepResult(0.1, exact=exact, symbol=1.0))
