"""`stack-rnn`: the paper's second baseline, trained for addition as its authors' program does it."""

from neuralgpu.models.baseline_config import StackRNNConfig
from neuralgpu.training.baseline_settings import StackRNNSettings
from neuralgpu.training.recipes.recipe import Recipe

RECIPE = Recipe(model=StackRNNConfig(), settings=StackRNNSettings())
