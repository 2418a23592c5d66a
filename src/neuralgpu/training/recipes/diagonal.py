"""`diagonal`: the training of Freivalds & Liepins (2017): fitting alone, with 96 maps and AdaMax."""

from neuralgpu.models.config import DiagonalConfig
from neuralgpu.training.recipes.recipe import Recipe
from neuralgpu.training.settings import StagedSettings, TapeSettings

RECIPE = Recipe(model=DiagonalConfig(maps=96), tape=TapeSettings(zero_fill=True), settings=StagedSettings())
