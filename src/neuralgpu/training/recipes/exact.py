"""`exact`: multiplication. Kernels fit by Muon; hardening prunes and rounds; exams of longer inputs end it."""

from neuralgpu.models.config import DiagonalConfig
from neuralgpu.training.recipes.recipe import Recipe
from neuralgpu.training.settings import Exam, Examples, Fit, Harden, Retry, StagedSettings, TapeSettings

RECIPE = Recipe(
    model=DiagonalConfig(maps=24, levels=2),
    tape=TapeSettings(slack=31, stretch=0.5, zero_fill=True),
    settings=StagedSettings(
        attempt_steps=6_200,
        examples=Examples(patterned=0.3, any_density=0.15, any_lengths=0.6),
        fit=Fit(slack=4, batch=8, learning_rate=0.0056, muon=1.15, slow_when_exact=0.75),
        harden=Harden(
            when_exact=0.9,
            steps=3_500,
            lengths=(12, 20, 28, 36, 41, 41, 41),
            slack=8,
            dropout=0.0,
            gate_noise=0.4,
            shrink=0.06,
            shrink_steps=900,
            round_after=1_000,
            anneal_steps=1_200,
            average=0.99,
        ),
        exam=Exam(inputs=60, length=2_001, shorter_inputs=1_000, every=250),
        retry=Retry(retries=20, give_up=((300, 0.97), (1_600, 0.975))),
    ),
)
