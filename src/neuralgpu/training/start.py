"""The trainer of a configuration."""

from neuralgpu.training.config import RunConfig
from neuralgpu.training.diagonal import DiagonalTrainer
from neuralgpu.training.paper import PaperTrainer
from neuralgpu.training.recipes import DiagonalRecipe
from neuralgpu.training.trainer import Trainer


def make_trainer(config: RunConfig) -> Trainer:
    """A trainer at step 0."""
    if isinstance(config.settings, DiagonalRecipe):
        return DiagonalTrainer(config, config.settings)
    return PaperTrainer(config, config.settings)
