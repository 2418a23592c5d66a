"""`tight`: like `addition`, on tapes that the answer fills to their end: no slack, no shorter inputs."""

from neuralgpu.models.config import DiagonalConfig
from neuralgpu.training.recipes.recipe import Recipe
from neuralgpu.training.settings import Examples, Fit, Harden, StagedSettings, TapeSettings

RECIPE = Recipe(
    model=DiagonalConfig(maps=24, levels=2),
    tape=TapeSettings(zero_fill=True),
    settings=StagedSettings(
        attempt_steps=12_000,
        examples=Examples(patterned=0.3, any_density=0.15, shorter=0.0),
        fit=Fit(lengths=(8, 12, 16, 20, 24, 28, 32, 36, 40), batch=8, learning_rate=0.008),
        harden=Harden(
            when_exact=0.9,
            steps=3_000,
            lengths=(12, 20, 28, 36, 40, 40, 40),
            dropout=0.0,
            gate_noise=0.5,
            shrink=0.08,
            shrink_steps=900,
            round_after=1_000,
            settle_when_exact=0.998,
            anneal_steps=1_200,
            average=0.99,
        ),
    ),
)
