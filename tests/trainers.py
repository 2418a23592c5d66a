"""Small trainers of both kinds, and ways to move them on."""

from collections.abc import Mapping
from typing import Any

import torch

from neuralgpu.tasks import get_task
from neuralgpu.training.config import TrainConfig, configure, with_settings
from neuralgpu.training.paper import PaperTrainer
from neuralgpu.training.recipes import get_recipe
from neuralgpu.training.staged import StagedTrainer
from neuralgpu.training.train import make_trainer
from neuralgpu.training.trainer import Trainer

STAGED: dict[str, Any] = {"maps": 24, "fit.lengths": (5, 9), "harden.lengths": (5, 9), "fit.batch": 4}
PAPER: dict[str, Any] = {"layers": 1, "width": 1, "maps": 8, "batch": 4, "examples_per_size": 50}
"""Settings with which a step takes milliseconds."""


def small_config(task: str, recipe: str, seed: int, changes: Mapping[str, Any]) -> TrainConfig:
    small = STAGED if recipe == "diagonal" else PAPER
    return configure(get_task(task), recipe, with_settings(get_recipe(recipe), {**small, **changes}), seed, threads=1)


def staged(changes: Mapping[str, Any] | None = None, task: str = "badd", seed: int = 0) -> StagedTrainer:
    """A trainer in stages; settings are given by the names of their flags."""
    trainer = make_trainer(small_config(task, "diagonal", seed, changes or {}), get_task(task))
    assert isinstance(trainer, StagedTrainer)
    return trainer


def paper(changes: Mapping[str, Any] | None = None, task: str = "badd", seed: int = 0) -> PaperTrainer:
    """A trainer by the paper's recipe."""
    trainer = make_trainer(small_config(task, "paper", seed, changes or {}), get_task(task))
    assert isinstance(trainer, PaperTrainer)
    return trainer


def train_to(trainer: Trainer, step: int) -> None:
    while trainer.step < step:
        trainer.train_step()


def train_to_the_end(trainer: Trainer) -> None:
    while not trainer.finished:
        trainer.train_step()


def weights(trainer: Trainer) -> torch.Tensor:
    """All weights of a network, one after the other."""
    return torch.cat([weight.detach().flatten().clone() for weight in trainer.model.parameters()])
