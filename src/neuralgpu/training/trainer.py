"""One training step after another: the model, its optimiser, the curriculum, and what a checkpoint keeps of them."""

import math
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from neuralgpu.engine import EngineChoice, choose
from neuralgpu.errors import UserError
from neuralgpu.models.neural_gpu import NeuralGPU
from neuralgpu.streams import Stream, stream
from neuralgpu.tasks import PAD, get_task
from neuralgpu.training.config import RunConfig
from neuralgpu.training.curriculum import Block, Curriculum
from neuralgpu.training.data import TrainingData
from neuralgpu.training.noise import add_gradient_noise, noise_deviation
from neuralgpu.training.recipes import TRAINING_LENGTH
from neuralgpu.training.relaxation import relaxation_cost, relaxation_pull


@dataclass(frozen=True)
class StepResult:
    """What one minibatch showed, dropout included."""

    size: int
    loss: float
    exact: float
    """share of outputs with every symbol right"""
    symbol: float
    """share of symbols that are right"""


class Trainer:
    """Trains a Neural GPU by a recipe. All that a step draws at random comes from (seed, step)."""

    def __init__(self, config: RunConfig, engine: EngineChoice = "auto") -> None:
        self.config = config
        recipe = self.recipe = config.settings
        self.task = get_task(config.task)
        self.data = TrainingData(self.task, recipe.examples_per_size, config.seed)
        self.curriculum = Curriculum(recipe, self.task.largest_size(TRAINING_LENGTH))
        self.model = NeuralGPU(
            recipe.model,
            self.task.symbols,
            sets=recipe.relaxation_sets,
            scale=recipe.initial_scale,
            gate_bias=recipe.gate_bias,
            seed=config.seed,
        )
        self.model.engine = choose(engine, "cpu", recipe.model)
        self.step = 0
        self.learning_rate = recipe.learning_rate
        self.block_losses: list[float] = []
        self.flawless_blocks = 0
        self.optimizer = self._new_optimizer()

    @property
    def pull(self) -> float:
        """The relaxation pull; nothing is pulled once there is a single set."""
        if self.model.sets == 1:
            return 0.0
        recipe = self.recipe
        advances = self.curriculum.size - min(recipe.curriculum_start, self.curriculum.largest)
        return relaxation_pull(recipe.relaxation_pull, recipe.relaxation_pull_factor, advances)

    @property
    def finished(self) -> bool:
        """Whether the recipe has nothing more to do."""
        mastered = 0 < self.recipe.finish_blocks <= self.flawless_blocks
        return mastered or self.step >= self.recipe.max_steps

    def train_step(self) -> StepResult:
        """Train on one minibatch."""
        recipe = self.recipe
        self.step += 1
        rng = stream(self.config.seed, Stream.STEP, self.step)
        generator = torch.Generator().manual_seed(int(rng.integers(2**62)))
        size = self.curriculum.sample_size(rng)
        batch = self.data.minibatch(rng, recipe.batch, size)
        inputs, targets = torch.from_numpy(batch.inputs), torch.from_numpy(batch.targets)

        logits = self.model(inputs, self._dropout(inputs.shape[1]), generator)
        loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
        if not math.isfinite(loss.item()):
            raise UserError(
                f"the loss is {loss.item()} at step {self.step}; try a learning rate below {self.learning_rate}"
            )
        right = logits.argmax(dim=-1) == targets  # (batch, n)
        counted = right if recipe.count_pad else right | (targets == PAD)
        exact = counted.all(dim=1).float().mean().item()

        cost = loss + self.pull * relaxation_cost(self.model) if self.pull else loss
        self.optimizer.zero_grad()
        cost.backward()  # type: ignore[no-untyped-call]
        if recipe.clip_norm:
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), recipe.clip_norm)
        deviation = noise_deviation(recipe.noise_scale, self.step, wrong=1 - exact)
        add_gradient_noise(self.model.parameters(), deviation, generator)
        self.optimizer.step()

        result = StepResult(size, loss.item(), exact, right.float().mean().item())
        block = self.curriculum.record(size, exact, result.loss)
        if block:
            self._end_block(block)
        return result

    def _dropout(self, length: int) -> float:
        recipe = self.recipe
        return recipe.dropout * min(1, recipe.dropout_length / length) if recipe.dropout_length else recipe.dropout

    def _end_block(self, block: Block) -> None:
        recipe = self.recipe
        if len(self.block_losses) == 3 and block.loss > max(self.block_losses):
            self._set_learning_rate(self.learning_rate * recipe.decay)
        self.block_losses = [*self.block_losses, block.loss][-3:]
        if recipe.unify == "repeatedly" and block.passed and self.pull >= 0.1:
            self.model.average_sets()
        self.flawless_blocks += self.curriculum.complete and block.exact == 1
        if recipe.unify == "once" and self.curriculum.complete and self.model.sets > 1:
            self.model.unify()
            self.optimizer = self._new_optimizer()

    def _new_optimizer(self) -> torch.optim.Adam:
        return torch.optim.Adam(self.model.parameters(), lr=self.learning_rate, eps=self.recipe.adam_epsilon)

    def _set_learning_rate(self, learning_rate: float) -> None:
        self.learning_rate = learning_rate
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """All that training needs to go on from here, as tensors and JSON."""
        tensors = {f"model.{name}": tensor for name, tensor in self.model.state_dict().items()}
        for index, moments in self.optimizer.state_dict()["state"].items():
            tensors |= {f"optimizer.{index}.{name}": moment for name, moment in moments.items()}
        return tensors, {
            "step": self.step,
            "learning_rate": self.learning_rate,
            "block_losses": self.block_losses,
            "flawless_blocks": self.flawless_blocks,
            "curriculum": self.curriculum.state(),
        }

    def restore(self, tensors: dict[str, Tensor], state: dict[str, Any]) -> None:
        """Go on from what `state` returned."""
        self.step = state["step"]
        self.learning_rate = state["learning_rate"]
        self.block_losses = state["block_losses"]
        self.flawless_blocks = state["flawless_blocks"]
        self.curriculum.restore(**state["curriculum"])
        if self.model.sets != tensors["model.U"].shape[0]:
            self.model.unify()
        self.model.load_state_dict(_part(tensors, "model."))
        self.optimizer = self._new_optimizer()
        moments: dict[int, dict[str, Tensor]] = {}
        for name, tensor in _part(tensors, "optimizer.").items():
            index, moment = name.split(".")
            moments.setdefault(int(index), {})[moment] = tensor
        self.optimizer.load_state_dict({**self.optimizer.state_dict(), "state": moments})


def _part(tensors: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
