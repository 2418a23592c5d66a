"""Training of the Diagonal Neural GPU: all lengths in every step, AdaMax, and a cost on saturated gates."""

from statistics import fmean
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from neuralgpu.models.diagonal import Diagonal
from neuralgpu.tasks import PAD, Batch, Task, get_task
from neuralgpu.tasks.arithmetic import Arithmetic
from neuralgpu.training.adamax import ClippedAdaMax, beta2
from neuralgpu.training.config import RunConfig
from neuralgpu.training.noise import add_gradient_noise
from neuralgpu.training.recipes import DiagonalRecipe
from neuralgpu.training.trainer import StepResult, Trainer

BLOCK = 200
"""Steps after which the rate and the weight of the saturation cost are looked at again."""
LOWEST_RATE = 1 / 60
"""Of the first rate; blocks that get worse lower it no further."""


class DiagonalTrainer(Trainer):
    """Trains a Diagonal Neural GPU."""

    model: Diagonal

    def __init__(self, config: RunConfig, recipe: DiagonalRecipe) -> None:
        self.recipe = recipe
        model = Diagonal(recipe.model, get_task(config.task).with_layout(recipe.layout).symbols, config.seed)
        super().__init__(config, model)
        self.tasks = self.learned_tasks()
        self.saturation = recipe.saturation
        self.losses: list[float] = []  # of this block's steps
        self.block_losses: list[float] = []  # of the last three blocks

    @property
    def finished(self) -> bool:
        """Whether the last step is done."""
        return self.step >= self.recipe.max_steps

    def new_optimizer(self) -> torch.optim.Optimizer:
        """AdaMax with clipped gradients."""
        return ClippedAdaMax(self.model.parameters(), lr=self.learning_rate)

    def run_step(self, rng: np.random.Generator, generator: torch.Generator) -> StepResult:
        """Train on a minibatch of each length."""
        recipe = self.recipe
        self.optimizer.zero_grad()
        results = []
        for length in recipe.lengths:
            inputs, targets = self.minibatch(rng, length)
            logits, saturated = self.model.run(inputs, recipe.dropout, self.gate_noise, generator)
            loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
            self.check_loss(loss)
            ((loss + self.saturation * saturated) / len(recipe.lengths)).backward()  # type: ignore[no-untyped-call]
            right = logits.argmax(dim=-1) == targets  # (batch, n)
            exact, symbol = right.all(dim=1).float().mean().item(), right.float().mean().item()
            results.append((loss.item(), exact, symbol))
        add_gradient_noise(self.model.parameters(), self.learning_rate * recipe.noise_scale, generator)
        for group in self.optimizer.param_groups:
            group["beta2"] = beta2(self.step)
        self.optimizer.step()
        result = StepResult(*np.mean(results, axis=0).tolist())
        self.after_step(result.loss)
        return result

    def learned_tasks(self) -> list[Task]:
        """What the network learns: the task alone, or addition and multiplication, in this order for either of them."""
        if not (self.recipe.together and isinstance(self.task, Arithmetic)):
            return [self.task]
        return sorted((self.task, self.task.partner()), key=lambda task: task.name)

    def minibatch(self, rng: np.random.Generator, length: int) -> tuple[Tensor, Tensor]:
        """Inputs and targets on tapes of one length, as many of each task."""
        parts = [self.minibatch_of(task, rng, length) for task in self.tasks]
        inputs, targets = (np.concatenate(tapes) for tapes in zip(*parts, strict=True))
        return torch.from_numpy(inputs), torch.from_numpy(targets)

    def minibatch_of(self, task: Task, rng: np.random.Generator, length: int) -> Batch:
        """Examples of one task on tapes of one length; some are shorter than the tape."""
        count, size = self.recipe.batch, task.largest_size(length)
        shorter = rng.binomial(count, self.recipe.shorter)
        inputs = np.full((count, length + self.recipe.slack), PAD)
        targets = np.full_like(inputs, task.filler)
        start = 0
        for some, some_size in ((count - shorter, size), (shorter, rng.integers(1, size + 1))):
            batch = task.sample(rng, some, int(some_size), self.recipe.structured)
            part = np.s_[start : start + some, : batch.inputs.shape[1]]
            inputs[part], targets[part] = batch
            start += some
        return Batch(inputs, targets)

    @property
    def gate_noise(self) -> float:
        """The amplitude of the noise on pre-activations, at this step."""
        recipe = self.recipe
        grown = (self.step - recipe.gate_noise_from) / recipe.gate_noise_ramp
        return recipe.gate_noise * min(1.0, max(0.0, grown))

    def after_step(self, loss: float) -> None:
        """Change the rate and the weight of the saturation cost as the recipe says."""
        recipe = self.recipe
        annealing = 0 < recipe.anneal_from <= self.step
        if annealing:
            since = self.step - recipe.anneal_from
            self.set_learning_rate(recipe.anneal_rate * recipe.anneal_factor**since)
        self.losses.append(loss)
        if self.step % BLOCK:
            return
        mean = fmean(self.losses)
        self.losses.clear()
        self.saturation = min(recipe.saturation, self.learning_rate * mean)
        self.block_losses = [*self.block_losses, mean][-3:]
        worse = len(self.block_losses) == 3 and min(self.block_losses[1:]) > self.block_losses[0]
        if worse and not annealing:
            lowered = self.learning_rate * recipe.rate_factor
            self.set_learning_rate(max(lowered, recipe.learning_rate * LOWEST_RATE))

    def gauges(self) -> dict[str, float]:
        """What the recipe changes as training goes on."""
        return {"saturation_weight": self.saturation, "gate_noise": self.gate_noise}

    def milestone(self) -> tuple[int, int, str]:
        """The step, of the last."""
        noise = f"  gate noise {self.gate_noise:.3f}" if self.gate_noise else ""
        return self.step, self.recipe.max_steps, f"rate {self.learning_rate:.5f}{noise}"

    def counters(self) -> dict[str, Any]:
        """Losses, and the weight that follows from them."""
        return {"saturation": self.saturation, "losses": self.losses, "block_losses": self.block_losses}

    def restore_counters(self, counters: dict[str, Any]) -> None:
        """Go on from what `counters` returned."""
        self.saturation = counters["saturation"]
        self.losses, self.block_losses = counters["losses"], counters["block_losses"]
