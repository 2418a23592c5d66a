"""`paper-muon`: the network of the paper (w = 4, m = 24, l = 2) in stages: Muon, growing lengths, then dropout."""

from neuralgpu.models.config import NeuralGPUConfig
from neuralgpu.training.recipes.recipe import Recipe
from neuralgpu.training.settings import Exam, Examples, Fit, Harden, Retry, StagedSettings, TapeSettings

RECIPE = Recipe(
    model=NeuralGPUConfig(),
    tape=TapeSettings(slack=4, zero_fill=True),
    settings=StagedSettings(
        attempt_steps=6_000,
        examples=Examples(patterned=0.3, any_density=0.15, any_lengths=0.6, runs=0.1),
        fit=Fit(
            any_slack=4,
            grow_when_exact=0.7,
            batch=8,
            learning_rate=0.004,
            muon=0.5,
            slow_below_loss=0.3,
            dropout=0.0,
        ),
        harden=Harden(
            when_exact=0.9,
            steps=2_000,
            lengths=(5, 8, 12, 20, 28, 36, 41),
            any_slack=4,
            muon=0.15,
            dropout=0.06,
            dropout_ramp=300,
            gate_noise=0.0,
            round_after=0,
            anneal_steps=1_000,
            average=0.99,
        ),
        exam=Exam(inputs=40, length=601, shorter_inputs=400, every=100),
        retry=Retry(retries=5, give_up=()),
    ),
)
