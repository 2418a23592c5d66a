"""`addition`: like `exact`, for a task whose fits hold more often: AdaMax, a slower hardening, no exam."""

from neuralgpu.models.config import DiagonalConfig
from neuralgpu.training.recipes.recipe import Recipe
from neuralgpu.training.settings import Examples, Fit, Harden, Retry, StagedSettings, TapeSettings

RECIPE = Recipe(
    model=DiagonalConfig(maps=24, levels=2),
    tape=TapeSettings(slack=16, zero_fill=True),
    settings=StagedSettings(
        attempt_steps=12_000,
        examples=Examples(patterned=0.3, any_density=0.15, any_lengths=0.5),
        fit=Fit(slack=4, batch=8, learning_rate=0.008),
        harden=Harden(
            when_exact=0.9,
            steps=6_000,
            lengths=(12, 20, 28, 36, 41, 41, 41),
            slack=3,
            dropout=0.0,
            gate_noise=0.5,
            shrink=0.08,
            shrink_steps=900,
            round_after=1_000,
            settle_when_exact=0.998,
            anneal_steps=1_200,
            average=0.99,
        ),
        retry=Retry(retries=3, give_up=((600, 0.6),)),
    ),
)
