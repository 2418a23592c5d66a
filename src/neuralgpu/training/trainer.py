"""What every training has: a model, an optimiser, steps that follow from (seed, step), and a state to go on from."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from neuralgpu.engine import choose
from neuralgpu.errors import UserError
from neuralgpu.models.registry import Model
from neuralgpu.streams import Stream, stream
from neuralgpu.tasks import get_task
from neuralgpu.training.config import RunConfig


@dataclass(frozen=True)
class StepResult:
    """What one step's examples showed, dropout included."""

    loss: float
    exact: float
    """share of outputs with every symbol right"""
    symbol: float
    """share of symbols that are right"""


class Trainer(ABC):
    """Trains a model by a recipe. All that a step draws at random comes from (seed, step)."""

    optimizer: torch.optim.Optimizer

    def __init__(self, config: RunConfig, model: Model) -> None:
        self.config = config
        task = get_task(config.task)
        self.task = task.on(config.settings.tape(task))
        self.model = model
        self.model.engine = choose(config.engine, model.native_obstacle())
        self.model.threads = torch.get_num_threads()
        self.step = 0
        self.learning_rate = config.settings.learning_rate
        self.optimizer = self.new_optimizer()

    @abstractmethod
    def new_optimizer(self) -> torch.optim.Optimizer:
        """An optimiser that has seen no gradient yet."""

    @abstractmethod
    def run_step(self, rng: np.random.Generator, generator: torch.Generator) -> StepResult:
        """Train on the examples of one step."""

    @property
    @abstractmethod
    def finished(self) -> bool:
        """Whether the recipe has nothing more to do."""

    @abstractmethod
    def gauges(self) -> dict[str, float]:
        """Numbers that metrics show beside the results of steps."""

    @abstractmethod
    def milestone(self) -> tuple[int, int, str]:
        """How far the training is: done, of how much, and in words."""

    @abstractmethod
    def counters(self) -> dict[str, Any]:
        """What a checkpoint keeps besides tensors, the step and the learning rate, as JSON."""

    @abstractmethod
    def restore_counters(self, counters: dict[str, Any]) -> None:
        """Go on from what `counters` returned."""

    @property
    def last_step(self) -> int:
        """The step at which training ends at the latest."""
        return self.config.settings.max_steps

    def train_step(self) -> StepResult:
        """Train one step further."""
        self.step += 1
        rng = stream(self.config.seed, Stream.STEP, self.step)
        generator = torch.Generator().manual_seed(int(rng.integers(2**62)))
        with torch_threads(1 if self.model.engine == "native" else torch.get_num_threads()):
            return self.run_step(rng, generator)

    def result(self) -> Model:
        """The network as far as it is trained."""
        return self.model

    def check_loss(self, loss: Tensor) -> None:
        """Stop before a loss that is no number ruins the weights."""
        if not math.isfinite(loss.item()):
            remedy = f"try a learning rate below {self.learning_rate}"
            raise UserError(f"the loss is {loss.item()} at step {self.step}; {remedy}")

    def set_learning_rate(self, learning_rate: float) -> None:
        """Change the rate, here and in the optimiser."""
        self.learning_rate = learning_rate
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """All that training needs to go on from here, as tensors and JSON."""
        tensors = {f"model.{name}": tensor for name, tensor in self.model.state_dict().items()}
        for index, moments in self.optimizer.state_dict()["state"].items():
            tensors |= {f"optimizer.{index}.{name}": moment for name, moment in moments.items()}
        return tensors, {"step": self.step, "learning_rate": self.learning_rate, "counters": self.counters()}

    def restore(self, tensors: dict[str, Tensor], state: dict[str, Any]) -> None:
        """Go on from what `state` returned; a UserError says so if it belongs to another configuration."""
        try:
            self._restore(tensors, state)
        except (KeyError, RuntimeError, ValueError) as error:
            detail = " ".join(str(error).split())
            raise UserError(f"the checkpoint does not fit config.json: {detail}; restore the one that it had") from None

    def _restore(self, tensors: dict[str, Tensor], state: dict[str, Any]) -> None:
        self.step, self.learning_rate = state["step"], state["learning_rate"]
        self.restore_counters(state["counters"])
        self.model.load_state_dict(part(tensors, "model."))
        self.optimizer = self.new_optimizer()
        moments: dict[int, dict[str, Tensor]] = {}
        for name, tensor in part(tensors, "optimizer.").items():
            index, moment = name.split(".")
            moments.setdefault(int(index), {})[moment] = tensor
        self.optimizer.load_state_dict({**self.optimizer.state_dict(), "state": moments})


@contextmanager
def torch_threads(threads: int) -> Iterator[None]:
    """Let torch compute with so many threads: beside the native engine its own work is too small to be shared out."""
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def part(tensors: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    """The tensors whose names begin with the prefix, by what follows it."""
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
