"""`paper`: the training that section 3.3 of the paper describes, on the paper's network."""

from neuralgpu.models.config import NeuralGPUConfig
from neuralgpu.training.recipes.recipe import Recipe
from neuralgpu.training.settings import PaperSettings

RECIPE = Recipe(model=NeuralGPUConfig(), settings=PaperSettings())
