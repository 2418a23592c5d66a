"""`released`: the values and rules of the authors' program of early 2016, wherever they differ from the paper."""

from neuralgpu.models.config import NeuralGPUConfig
from neuralgpu.training.recipes.recipe import Recipe
from neuralgpu.training.settings import PaperSettings

RECIPE = Recipe(
    model=NeuralGPUConfig(tanh_embedding=True),
    settings=PaperSettings(
        examples_per_size=5_000,
        finish_blocks=0,
        curriculum_by="length",
        curriculum_start=6,
        curriculum_smallest=3,
        curriculum_threshold=0.85,
        curriculum_block=200,
        mixing=0.25,
        mixing_rule="released",
        progress_on="shorter",
        count_pad=False,
        dropout=0.15,
        dropout_length=8,
        noise_scale=0.0,
        relaxation_pull_full=0.1,
        unify="repeatedly",
    ),
)
