"""`exact`: our recipe, for every task. A ladder of attempts: fit by Muon, prune and round, and pass an exam."""

from neuralgpu.models.config import DiagonalConfig
from neuralgpu.models.steps import Steps
from neuralgpu.training.recipes.recipe import Recipe
from neuralgpu.training.settings import Exam, Examples, Fit, Harden, Retry, StagedSettings, TapeSettings

RECIPE = Recipe(
    model=DiagonalConfig(maps=24, levels=2),
    tape=TapeSettings(zero_fill=True),
    steps=Steps(per_cell=1.5, extra=4),
    settings=StagedSettings(
        examples=Examples(patterned=0.3, any_density=0.15, any_lengths=0.6, runs=0.1, any_size=0.5),
        fit=Fit(
            steps=2_700,
            lengths=(3, 4, 5, 6, 8, 12, 20, 30, 41),
            batch=8,
            learning_rate=0.0056,
            muon=1.15,
            slow_when_exact=0.75,
        ),
        harden=Harden(
            when_exact=0.9,
            steps=6_000,
            lengths=(6, 12, 20, 28, 36, 41, 41),
            gate_noise=0.4,
            shrink=0.07,
        ),
        exam=Exam(inputs=60, times=50, shorter_inputs=1_000, every=250),
        retry=Retry(
            retries=11,
            give_up=((1_100, 0.8), (1_600, 0.93), (3_000, 0.97)),
            widen=(1, 1, 1, 2, 2),
            standing=(True, False, True, True, False),
        ),
    ),
)
