"""A trained network: a task and the model that learned it, read from a directory and used on text or tapes."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from neuralgpu.engine import EngineChoice, choose
from neuralgpu.errors import UserError
from neuralgpu.models.registry import Model, restore_model
from neuralgpu.tasks import Tapes, Task, get_task
from neuralgpu.training.checkpoint import load_tensors
from neuralgpu.training.config import load_config
from neuralgpu.zoo import find

STATE_BYTES = 4 * 2**20
"""Mental images that are computed together take at most this much; more is slower, since it leaves the cache."""


class Network:
    """A model with the task that it was trained on.

    Calling it answers a text; `answers` maps tapes to tapes.
    """

    def __init__(self, task: Task, model: Model) -> None:
        self.task = task
        self.model = model

    def __call__(self, text: str) -> str:
        """The network's answer to one input."""
        return self.task.read(self.answers(self.task.encode(text))[0])

    @torch.inference_mode()
    def answers(self, tapes: Tapes) -> Tapes:
        """The symbols (count, n) that the network leaves on tapes (count, n)."""
        chunks = np.split(tapes, range(self.chunk(tapes.shape[1]), len(tapes), self.chunk(tapes.shape[1])))
        return np.concatenate([self.scores(torch.from_numpy(chunk)).argmax(dim=-1).numpy() for chunk in chunks])

    def scores(self, tapes: Tensor) -> Tensor:
        """What is maximal at the symbol that the network chooses (count, n, symbols)."""
        return self.model(tapes)  # type: ignore[no-any-return]

    def chunk(self, length: int) -> int:
        """How many tapes of this length are computed together: at least one for each thread."""
        return max(torch.get_num_threads(), STATE_BYTES // (length * self.model.numbers_per_cell * 4))


class Ensemble(Network):
    """Networks that learned the same task, with their outputs averaged."""

    def __init__(self, networks: Sequence[Network]) -> None:
        super().__init__(networks[0].task, networks[0].model)
        self.networks = networks
        for other in networks[1:]:
            if (other.task.name, other.task.tape) != (self.task.name, self.task.tape):
                raise UserError(
                    f"an ensemble needs networks of one task and tape, not {self.task.name} with {self.task.tape} "
                    f"and {other.task.name} with {other.task.tape}"
                )

    def scores(self, tapes: Tensor) -> Tensor:
        """The mean of the networks' probabilities."""
        return torch.stack([network.scores(tapes).softmax(dim=-1) for network in self.networks]).mean(dim=0)


def load(path: str | Path, engine: EngineChoice = "auto") -> Network:
    """A shipped network by its name, such as `bmul`, or the one in a directory that holds config.json and
    model.safetensors, such as a run directory."""
    path = find(path)
    config = load_config(path / "config.json")
    plain = get_task(config.task)
    task = plain.on(config.settings.tape(plain))
    weights, _ = load_tensors(path / "model.safetensors")
    try:
        model = restore_model(config.settings.model, task.symbols, weights)
    except RuntimeError as error:
        detail = " ".join(str(error).split())
        raise UserError(f"{path / 'model.safetensors'} does not fit {path / 'config.json'}: {detail}") from None
    model.engine = choose(engine, model.native_obstacle())
    return Network(task, model)
