"""Training of the stack-RNN by its authors' regime: plain gradient descent, longer sums in every epoch, halving."""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from neuralgpu.engine import stack, why
from neuralgpu.errors import UserError
from neuralgpu.models.baseline_config import StackRNNConfig
from neuralgpu.models.stack_rnn import StackRNN
from neuralgpu.streams import Stream, stream
from neuralgpu.tasks import Task
from neuralgpu.tasks.arithmetic import Addition
from neuralgpu.training.baseline_settings import StackRNNSettings
from neuralgpu.training.config import TrainConfig
from neuralgpu.training.sums import Sums, draw_sums
from neuralgpu.training.trainer import Milestone, StepResult, Trainer, part

STEP_SEQUENCES = 100
LEARNED = 0.23
"""Validation loss (0.1 in decimal logarithms) below which a worse epoch is undone from the start."""


class StackRNNTrainer(Trainer):
    """Trains a stack-RNN; a step is 100 sequences, one after the other."""

    model: StackRNN

    def __init__(self, config: TrainConfig, task: Task, settings: StackRNNSettings) -> None:
        super().__init__(config, task)
        self.settings = settings
        self.rate = settings.learning_rate
        model = config.network.model
        if not isinstance(model, StackRNNConfig):
            raise UserError(f"this training is for a stack-RNN, not for a model of kind {model.kind}")
        if not isinstance(self.task, Addition):
            raise UserError(f"a stack-RNN learns addition alone, not {self.task.name}; take badd, qadd or add")
        if self.task.tape.fill is not None:
            raise UserError("a stack-RNN writes a full stop after its sum; leave out tape.zero_fill")
        if self.compute.engine != "native":
            raise UserError(f"a stack-RNN is trained by the native engine on the CPU, which is not used: {why()}")
        self.model = StackRNN(model, self.task.symbols, config.seed, self.compute, scale=settings.initial_scale)
        self.optimizer = self.new_optimizer()
        self.best = [weight.clone() for weight in self.model.weights]
        self.best_loss: float | None = None
        self.losses: list[float] = []  # of validation, one for each epoch

    @property
    def learning_rate(self) -> float:
        """That of the updates after each symbol."""
        return self.rate

    @property
    def epoch(self) -> int:
        """The epoch of the step that is being made, or was made last."""
        return max(0, self.step - 1) * STEP_SEQUENCES // self.settings.sequences

    @property
    def below(self) -> int:
        """The digits of both operands together stay below this."""
        return min(self.epoch + 3, self.settings.nmax)

    @property
    def finished(self) -> bool:
        """Whether the last epoch is done, or the rate has fallen to its end."""
        return len(self.losses) >= self.settings.epochs or self.rate < self.settings.lowest_rate

    def new_optimizer(self) -> torch.optim.Optimizer:
        """It has nothing to remember: the native engine makes the updates."""
        return torch.optim.SGD(self.model.parameters(), lr=self.rate)

    def run_step(self, rng: np.random.Generator, generator: torch.Generator) -> StepResult:
        """Train on 100 sequences; the last of an epoch are followed by its validation."""
        sums = draw_sums(rng, self.model.text, STEP_SEQUENCES, 0, self.below)
        result = self.read(sums, self.rate)
        self.check_loss(torch.tensor(result.loss))
        if self.step * STEP_SEQUENCES % self.settings.sequences == 0:
            self.end_epoch()
        return result

    def read(self, sums: Sums, rate: float) -> StepResult:
        """Read sums, and learn from them unless the rate is 0; the loss is that of a predicted symbol."""
        recipe = self.settings
        losses, rights = stack.train(
            self.model.weights, *sums, rate=rate, clip=recipe.clip, bptt=recipe.bptt, every=recipe.symbols_per_update
        )
        counts = sums.lengths - sums.firsts
        total = int(counts.sum())
        return StepResult(float(losses.sum()) / total, float((rights == counts).mean()), int(rights.sum()) / total)

    def validation_loss(self) -> float:
        """The loss of a predicted symbol of the longer sums; the same ones after every epoch."""
        recipe = self.settings
        rng = stream(self.config.seed, Stream.EXAM)
        least = min(20, recipe.nmax // 2)
        return self.read(draw_sums(rng, self.model.text, recipe.validation_sequences, least, recipe.nmax), 0.0).loss

    def end_epoch(self) -> None:
        """Keep the weights if they are the best so far; else halve the rate and go back to the best, once sums are
        long, or go back alone where the task is learned already. The best are what training ends with."""
        loss = self.validation_loss()
        self.losses.append(loss)
        if self.best_loss is None or loss < self.best_loss:
            self.best_loss = loss
            self.best = [weight.clone() for weight in self.model.weights]
            return
        halved = self.epoch > self.settings.nmax // 2
        if halved:
            self.rate /= 2
        if halved or self.best_loss < LEARNED or self.finished:
            for weight, best in zip(self.model.weights, self.best, strict=True):
                weight.copy_(best)

    def gauges(self) -> dict[str, float]:
        """The digits of the epoch, and the newest validation loss, 0 before the first."""
        return {"digits": self.below - 1, "validation_loss": self.losses[-1] if self.losses else 0.0}

    def milestone(self) -> Milestone:
        """The epoch, of all, and the best loss in validation."""
        epochs = self.settings.epochs
        best = "not validated yet" if self.best_loss is None else f"best validation loss {self.best_loss:.3g}"
        left = epochs * self.settings.sequences // STEP_SEQUENCES - self.step
        return Milestone(len(self.losses), epochs, f"epoch {self.epoch + 1}/{epochs}  {best}", steps_left=left)

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """With the best weights besides."""
        tensors, state = super().state()
        return tensors | {f"best.{k}": weight for k, weight in enumerate(self.best)}, state

    def restore_tensors(self, tensors: dict[str, Tensor]) -> None:
        """Take over both sets of weights."""
        super().restore_tensors(tensors)
        best = part(tensors, "best.")
        self.best = [best[str(k)].clone() for k in range(len(self.best))]

    def counters(self) -> dict[str, Any]:
        """The rate and what validation found."""
        return {"rate": self.rate, "best_loss": self.best_loss, "losses": self.losses}

    def restore_counters(self, counters: dict[str, Any]) -> None:
        """Go on from what `counters` returned."""
        self.rate, self.best_loss = counters["rate"], counters["best_loss"]
        self.losses = list(counters["losses"])
