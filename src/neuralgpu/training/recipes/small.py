"""`small`: a short training for the simple tasks: 24 maps and a thousand steps of hardening, nothing pruned."""

from neuralgpu.models.config import DiagonalConfig
from neuralgpu.training.recipes.recipe import Recipe
from neuralgpu.training.settings import Examples, Fit, Harden, StagedSettings, TapeSettings

RECIPE = Recipe(
    model=DiagonalConfig(maps=24),
    tape=TapeSettings(slack=4, zero_fill=True),
    settings=StagedSettings(
        examples=Examples(patterned=0.3),
        fit=Fit(slack=4, batch=8, learning_rate=0.01),
        harden=Harden(when_exact=0.9, slack=4),
    ),
)
