"""The whole system learns: a small Neural GPU copies sequences far longer than those it was trained on."""

from dataclasses import replace
from pathlib import Path

from neuralgpu.evaluation.score import evaluate
from neuralgpu.models.config import NeuralGPUConfig
from neuralgpu.network import load
from neuralgpu.training.config import RunConfig
from neuralgpu.training.directory import RunDirectory
from neuralgpu.training.loop import train
from neuralgpu.training.paper import PaperTrainer
from neuralgpu.training.recipes import PAPER


def test_a_small_network_learns_to_copy_and_generalises(tmp_path: Path) -> None:
    recipe = replace(
        PAPER,
        model=NeuralGPUConfig(layers=1, width=1, maps=24),
        curriculum_start=10,
        curriculum_block=4,
        finish_blocks=3,
        max_steps=3000,
    )
    config = RunConfig("copy", "paper", seed=0, settings=recipe)
    directory = RunDirectory.create(tmp_path / "run", config)
    history = list(train(directory, PaperTrainer(config, recipe), checkpoint_seconds=1000, stop=lambda: False))
    assert history[-1].gauges["size"] == 41
    assert history[-1].gauges["sets"] == 1
    assert evaluate(load(directory.path), size=201, count=50).exact == 50
