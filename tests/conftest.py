"""Fixtures shared by all tests."""

import os
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import settings

from neuralgpu.cli import main
from neuralgpu.models.config import DiagonalConfig, NeuralGPUConfig
from neuralgpu.models.diagonal import Diagonal
from neuralgpu.models.neural_gpu import NeuralGPU
from neuralgpu.network import Network
from neuralgpu.tasks import get_task
from neuralgpu.view.trace import Trace, trace
from tiny import TINY

# No test fails on a wall-clock time, and a merge does not depend on luck.
settings.register_profile("neuralgpu", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("neuralgpu")
torch.set_num_threads(1)  # pytest's workers share the cores


@pytest.fixture(scope="session")
def tiny_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run directory whose network has hardly been trained."""
    path = tmp_path_factory.mktemp("runs") / "badd"
    with pytest.raises(SystemExit) as stop:
        main(["train", "badd", *TINY, "--max-steps", "20", "--evaluate-sizes", "4", "--out", str(path)])
    assert stop.value.code == 0
    return path


@pytest.fixture(scope="session")
def cgru_trace() -> Trace:
    """An untrained Neural GPU on five symbols: 3 x 8 numbers in a cell."""
    task = get_task("copy")
    config = NeuralGPUConfig(layers=1, width=3, maps=8)
    return trace(Network(task, NeuralGPU(config, task.symbols)), "01101")


@pytest.fixture(scope="session")
def diagonal_trace() -> Trace:
    """An untrained Diagonal Neural GPU on five symbols: six numbers in a cell."""
    task = get_task("copy")
    return trace(Network(task, Diagonal(DiagonalConfig(maps=6), task.symbols)), "01101")


@pytest.fixture(scope="session")
def noise_trace() -> Trace:
    """Noise on 401 cells of the usual size, which nothing can make smaller."""
    rng = np.random.default_rng(0)
    states = rng.uniform(-1, 1, (402, 401, 1, 96)).astype(np.float32)
    answers = rng.integers(0, 3, (402, 401))
    return Trace("01" * 200 + "0", states, answers, target=answers[-1])
