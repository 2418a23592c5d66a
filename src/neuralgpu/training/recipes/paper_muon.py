"""`paper-muon`: the network of the paper (w = 4, m = 24, l = 2) in stages: Muon, growing lengths, then dropout."""

from neuralgpu.models.config import NeuralGPUConfig
from neuralgpu.training.recipes.recipe import Recipe
from neuralgpu.training.settings import Exam, Examples, Fit, Harden, Retry, StagedSettings, TapeSettings

RECIPE = Recipe(
    model=NeuralGPUConfig(),
    tape=TapeSettings(slack=8, zero_fill=True),
    settings=StagedSettings(
        examples=Examples(patterned=0.3, any_density=0.15, any_lengths=0.6, runs=0.2, any_slack=8),
        fit=Fit(
            steps=5_000,
            grow_when_exact=0.7,
            batch=8,
            learning_rate=0.004,
            muon=0.5,
            slow_below_loss=0.3,
            dropout=0.0,
        ),
        harden=Harden(
            when_exact=0.97,
            steps=4_000,
            lengths=(5, 8, 12, 20, 28, 36, 41),
            ramp=1_000,
            muon=0.1,
            dropout=0.05,
        ),
        exam=Exam(inputs=40, times=15, shorter_inputs=400, every=100),
        retry=Retry(retries=5),
    ),
)
