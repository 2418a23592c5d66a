"""`released`: the values and rules of the authors' program of early 2016, wherever they differ from the paper."""

from neuralgpu.models.config import NeuralGPUConfig
from neuralgpu.training.recipes.recipe import Recipe
from neuralgpu.training.settings import PaperSettings

RECIPE = Recipe(
    model=NeuralGPUConfig(tanh_embedding=True),
    settings=PaperSettings(
        examples_per_size=5_000,
        decay=0.98,
        curriculum_block=200,
        mixing_rule="released",
        progress_on="all",
        count_pad=False,
        dropout=0.15,
        dropout_length=8,
        noise_scale=0.0,
        unify="repeatedly",
    ),
)
