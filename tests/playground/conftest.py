"""Networks for the playground's tests: random ones of every kind, and one that is right by construction."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from neuralgpu.models.config import DiagonalConfig, NeuralGPUConfig
from neuralgpu.models.diagonal import Diagonal
from neuralgpu.models.neural_gpu import NeuralGPU
from neuralgpu.models.registry import Model
from neuralgpu.tasks import get_task
from neuralgpu.training.checkpoint import save_tensors
from neuralgpu.training.config import RunConfig
from neuralgpu.training.recipes import DIAGONAL, PAPER, Recipe


def write_network(path: Path, task: str, settings: Recipe, model: Model) -> None:
    recipe = "diagonal" if isinstance(model, Diagonal) else "paper"
    path.mkdir(parents=True)
    (path / "config.json").write_text(RunConfig(task, recipe, 0, settings).to_json())
    save_tensors(path / "model.safetensors", model.state_dict(), {"step": 0})


def write_diagonal(path: Path, task: str, config: DiagonalConfig, slack: int = 0, seed: int = 0) -> None:
    """A Diagonal Neural GPU with random weights, large enough for its states to stay alive."""
    model = Diagonal(config, get_task(task).symbols, seed=seed)
    with torch.no_grad():
        model.U.mul_(2)
    write_network(path, task, replace(DIAGONAL, model=config, slack=slack), model)


def write_cgru(path: Path, task: str, config: NeuralGPUConfig, sets: int = 1) -> None:
    """A Neural GPU with random weights, and parameter sets that differ."""
    model = NeuralGPU(config, get_task(task).symbols, sets=sets)
    with torch.no_grad():
        model.U.add_(torch.randn(model.U.shape, generator=torch.Generator().manual_seed(1)), alpha=0.05)
    write_network(path, task, replace(PAPER, model=config), model)


def write_right(path: Path) -> None:
    """A network that copies: its gates are open, so that the maps that do not move keep the symbols for ever."""
    config = DiagonalConfig(maps=9)
    model = Diagonal(config, symbols=3)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
        model.E[:, :3] = torch.eye(3)
        model.O[:3] = torch.eye(3)
        model.B[1] = 1.0
    write_network(path, "copy", replace(DIAGONAL, model=config), model)


@pytest.fixture(scope="session")
def zoo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of networks of every kind."""
    folder = tmp_path_factory.mktemp("playground") / "zoo"
    kinds: dict[str, Callable[[Path], None]] = {
        "cgru": lambda path: write_cgru(path, "copy", NeuralGPUConfig()),
        "cgru-relaxed": lambda path: write_cgru(
            path, "badd", NeuralGPUConfig(1, 3, 7, 1, 5, cutoff=False, tanh_embedding=True), sets=3
        ),
        "diagonal": lambda path: write_diagonal(path, "bmul", DiagonalConfig(maps=24), slack=4),
        "diagonal-levels": lambda path: write_diagonal(path, "mul7", DiagonalConfig(maps=9, kernel=5, levels=4)),
        "right": write_right,
    }
    for name, write in kinds.items():
        write(folder / name)
    return folder
