"""Networks for the playground's tests: random ones of every kind, and some that are right by construction."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from neuralgpu.models.config import DiagonalConfig, NeuralGPUConfig
from neuralgpu.models.diagonal import Diagonal
from neuralgpu.models.model import Model
from neuralgpu.models.neural_gpu import NeuralGPU
from neuralgpu.models.steps import Steps
from neuralgpu.runs.config import NetworkConfig, RunConfig
from neuralgpu.runs.digest import network_digest
from neuralgpu.runs.files import save_tensors
from neuralgpu.tasks import ForeignTask, Tape, Task, get_task


def write_network(path: Path, task: Task, model: Model, steps: Steps | None = None) -> None:
    network = NetworkConfig(task.name, task.alphabet, task.tape, steps or Steps(), model.config)
    recipe = "diagonal" if isinstance(model, Diagonal) else "paper"
    path.mkdir(parents=True)
    (path / "config.json").write_text(RunConfig(network, {"recipe": recipe}).to_json())
    save_tensors(path / "model.safetensors", model.state_dict(), {"step": 0}, network_digest(network.to_dict()))


def write_diagonal(
    path: Path, task: Task, config: DiagonalConfig, steps: Steps | None = None, scale: float = 2.0
) -> None:
    """A Diagonal Neural GPU with random weights, scaled for its states to stay alive but not to become chaos."""
    model = Diagonal(config, task.symbols)
    with torch.no_grad():
        model.U.mul_(scale)
    write_network(path, task, model, steps)


def write_cgru(path: Path, task: Task, config: NeuralGPUConfig, sets: int = 1, steps: Steps | None = None) -> None:
    """A Neural GPU with random weights, and parameter sets that differ."""
    model = NeuralGPU(config, task.symbols, sets=sets)
    with torch.no_grad():
        model.U.add_(torch.randn(model.U.shape, generator=torch.Generator().manual_seed(1)), alpha=0.05)
    write_network(path, task, model, steps)


def write_copying(path: Path, task: Task, steps: Steps | None = None) -> None:
    """A network that copies: its gates are open, so that the maps that do not move keep the symbols for ever."""
    model = Diagonal(DiagonalConfig(maps=9), task.symbols)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
        model.E[:, :3] = torch.eye(task.symbols, 3)
        model.O[:3] = torch.eye(3, task.symbols)
        model.B[1] = 1.0
    write_network(path, task, model, steps)


@pytest.fixture(scope="session")
def zoo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of networks of every kind."""
    folder = tmp_path_factory.mktemp("playground") / "zoo"
    copy, badd, bmul, mul7 = map(get_task, ("copy", "badd", "bmul", "mul7"))
    filled = Tape(extra=4, fill="0")
    relaxed = NeuralGPUConfig(1, 3, 7, 1, 5, cutoff=False, tanh_embedding=True)
    kinds: dict[str, Callable[[Path], None]] = {
        "cgru": lambda path: write_cgru(path, copy, NeuralGPUConfig()),
        "cgru-few-steps": lambda path: write_cgru(path, copy, NeuralGPUConfig(maps=8), steps=Steps(0.5, 3)),
        "cgru-relaxed": lambda path: write_cgru(path, badd, relaxed, sets=3),
        "diagonal": lambda path: write_diagonal(path, bmul.on(filled), DiagonalConfig(maps=24)),
        "diagonal-levels": lambda path: write_diagonal(path, mul7, DiagonalConfig(maps=9, kernel=5, levels=4)),
        "diagonal-many-steps": lambda path: write_diagonal(path, copy, DiagonalConfig(maps=24), Steps(1.3, 7), 1.5),
        "foreign": lambda path: write_copying(path, ForeignTask("swap", "ab").on(Tape(1.5, 1)), Steps(2.0)),
        "right": lambda path: write_copying(path, copy),
    }
    for name, write in kinds.items():
        write(folder / name)
    return folder
