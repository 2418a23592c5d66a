"""What every training has: a model, an optimiser, steps that follow from (seed, step), and a state to go on from."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from neuralgpu.engine.compute import Compute, choose_compute
from neuralgpu.errors import UserError
from neuralgpu.evaluation.sizes import TRAINING_CELLS
from neuralgpu.models.model import Model
from neuralgpu.streams import Stream, stream
from neuralgpu.tasks import Task
from neuralgpu.training.config import TrainConfig


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

    model: Model
    optimizer: torch.optim.Optimizer

    def __init__(self, config: TrainConfig, task: Task) -> None:
        """`task` is what the configuration names."""
        self.config = config
        self.network = config.network  # that of the weights now
        self.task = task.on(config.network.tape)
        self.drawn = self.task.with_pools(config.seed, TRAINING_CELLS)  # what is trained on; exams ask `task`
        self.compute = compute_of(config)
        self.step = 0

    @abstractmethod
    def new_optimizer(self) -> torch.optim.Optimizer:
        """An optimiser that has seen no gradient yet."""

    @abstractmethod
    def run_step(self, rng: np.random.Generator, generator: torch.Generator) -> StepResult:
        """Train on the examples of one step."""

    @property
    @abstractmethod
    def learning_rate(self) -> float:
        """The rate of the next step."""

    @property
    @abstractmethod
    def finished(self) -> bool:
        """Whether the recipe has nothing more to do."""

    @abstractmethod
    def gauges(self) -> dict[str, float]:
        """Numbers that metrics show beside the results of steps."""

    @abstractmethod
    def milestone(self) -> "Milestone":
        """How far the training is."""

    @abstractmethod
    def counters(self) -> dict[str, Any]:
        """What a checkpoint keeps besides tensors and the step, as JSON."""

    @abstractmethod
    def restore_counters(self, counters: dict[str, Any]) -> None:
        """Go on from what `counters` returned."""

    def verdict(self) -> dict[str, Any]:
        """What the end of a training says about itself besides its scores: whether an exam was passed."""
        return {}

    def train_step(self) -> StepResult:
        """Train one step further."""
        self.step += 1
        rng = stream(self.config.seed, Stream.STEP, self.step)
        generator = torch.Generator().manual_seed(int(rng.integers(2**62)))
        with self.compute.torch_threads():
            return self.run_step(rng, generator)

    def check_loss(self, loss: Tensor) -> None:
        """Stop before a loss that is no number ruins the weights."""
        if not math.isfinite(loss.item()):
            remedy = f"try a learning rate below {self.learning_rate:.3g}"
            raise UserError(f"the loss is {loss.item()} at step {self.step}; {remedy}")

    def set_rate(self, rate: float) -> None:
        """Let the optimiser make steps of this rate."""
        for group in self.optimizer.param_groups:
            group["lr"] = rate

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """All that training needs to go on from here, as tensors and JSON."""
        tensors = {f"model.{name}": tensor for name, tensor in self.model.state_dict().items()}
        for index, moments in self.optimizer.state_dict()["state"].items():
            tensors |= {f"optimizer.{index}.{name}": moment for name, moment in moments.items()}
        return tensors, {"step": self.step, "counters": self.counters()}

    def restore(self, tensors: dict[str, Tensor], state: dict[str, Any]) -> None:
        """Go on from what `state` returned; a UserError says so if it belongs to another configuration."""
        try:
            self.step = state["step"]
            self.restore_counters(state["counters"])
            self.restore_tensors(tensors)
        except (KeyError, RuntimeError, ValueError, TypeError, AttributeError, IndexError) as error:
            detail = str(error)[:160]
            raise UserError(f"the checkpoint does not fit config.json: {detail}; restore the one that it had") from None

    def restore_tensors(self, tensors: dict[str, Tensor]) -> None:
        """Take over the weights and the optimiser's moments of a checkpoint."""
        self.model.load_state_dict(part(tensors, "model."))
        self.optimizer = self.new_optimizer()
        moments: dict[int, dict[str, Tensor]] = {}
        for name, tensor in part(tensors, "optimizer.").items():
            index, moment = name.split(".")
            moments.setdefault(int(index), {})[moment] = tensor
        self.optimizer.load_state_dict({**self.optimizer.state_dict(), "state": moments})


@dataclass(frozen=True)
class Milestone:
    """How far a training is, for a progress bar and a line of words."""

    done: int
    total: int
    words: str
    steps_left: int
    """steps until the present attempt ends at the latest"""
    attempts_left: int = 0
    """attempts that may follow it"""


def compute_of(config: TrainConfig) -> Compute:
    """What computes the training of a configuration."""
    return choose_compute(config.network.model.native_obstacle(), config.engine, config.threads, config.device)


def part(tensors: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    """The tensors whose names begin with the prefix, by what follows it."""
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
