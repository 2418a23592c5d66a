"""Training of LSTM+A: the paper's curriculum, mixing, gradient noise, dropout and clipping, with teacher forcing."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray

from neuralgpu.errors import UserError
from neuralgpu.models.baseline_config import LSTMAttentionConfig
from neuralgpu.models.lstm_attention import LSTMAttention
from neuralgpu.runs.config import parse
from neuralgpu.tasks import PAD, Task
from neuralgpu.tasks.tape import Tapes
from neuralgpu.training.baseline_settings import LSTMAttentionSettings
from neuralgpu.training.config import TrainConfig
from neuralgpu.training.curriculum import Block, Curriculum, CurriculumState
from neuralgpu.training.data import TrainingData
from neuralgpu.training.descent import descend
from neuralgpu.training.trainer import Milestone, StepResult, Trainer


@dataclass(frozen=True)
class Counters:
    """What a checkpoint keeps of this training besides tensors and the step."""

    rate: float
    block_losses: list[float]
    flawless_blocks: int
    curriculum: CurriculumState


class LSTMAttentionTrainer(Trainer):
    """Trains an LSTM with attention; `exact` and `symbol` of its steps are those of teacher forcing."""

    model: LSTMAttention

    def __init__(self, config: TrainConfig, task: Task, settings: LSTMAttentionSettings) -> None:
        super().__init__(config, task)
        self.settings = settings
        self.rate = settings.learning_rate
        model = config.network.model
        if not isinstance(model, LSTMAttentionConfig):
            raise UserError(f"this training is for an LSTM with attention, not for a model of kind {model.kind}")
        self.model = LSTMAttention(model, self.task.symbols, config.seed, self.compute)
        self.optimizer = self.new_optimizer()
        self.data = TrainingData(self.task, settings.examples_per_size, config.seed)
        self.curriculum = Curriculum(settings, self.task)
        self.block_losses: list[float] = []
        self.flawless_blocks = 0

    @property
    def learning_rate(self) -> float:
        """Adam's."""
        return self.rate

    @property
    def finished(self) -> bool:
        """Whether the maximal size is mastered, or the last step done."""
        mastered = 0 < self.settings.finish_blocks <= self.flawless_blocks
        return mastered or self.step >= self.settings.max_steps

    def new_optimizer(self) -> torch.optim.Optimizer:
        """Adam."""
        return torch.optim.Adam(self.model.parameters(), lr=self.rate, eps=self.settings.adam_epsilon)

    def run_step(self, rng: np.random.Generator, generator: torch.Generator) -> StepResult:
        """Train on one minibatch."""
        size = self.curriculum.sample(rng)
        batch = self.data.minibatch(rng, self.settings.batch, size, size)
        targets, counted = (torch.from_numpy(part).to(self.compute.device) for part in written(batch.targets))
        logits = self.model.taught(torch.from_numpy(batch.inputs), targets, self.settings.dropout, generator)
        loss = F.cross_entropy(logits[counted], targets[counted])
        self.check_loss(loss)
        right = (logits.argmax(dim=-1) == targets) | ~counted
        exact = right.all(dim=1).float().mean().item()
        descend(self.optimizer, loss, self.settings, self.step, exact, generator)
        block = self.curriculum.record(size, exact, loss.item())
        if block:
            self.end_block(block)
        return StepResult(loss.item(), exact, right[counted].float().mean().item())

    def end_block(self, block: Block) -> None:
        """Lower the rate where the loss at the maximal size rises, and count blocks without an error there."""
        if not block.at_largest:
            return
        if len(self.block_losses) == 3 and block.loss > max(self.block_losses):
            self.rate *= self.settings.decay
            self.set_rate(self.rate)
        self.block_losses = [*self.block_losses, block.loss][-3:]
        self.flawless_blocks += block.exact == 1

    def gauges(self) -> dict[str, float]:
        """The curriculum's size."""
        return {"size": self.curriculum.level}

    def milestone(self) -> Milestone:
        """The curriculum's size, of the largest."""
        size, largest = self.curriculum.level, self.curriculum.largest
        words = f"{size}/{largest} {self.task.unit}"
        return Milestone(size, largest, words, steps_left=self.settings.max_steps - self.step)

    def counters(self) -> dict[str, Any]:
        """The rate, the curriculum, and what was counted of its blocks."""
        return asdict(Counters(self.rate, self.block_losses, self.flawless_blocks, self.curriculum.state()))

    def restore_counters(self, counters: dict[str, Any]) -> None:
        """Go on from what `counters` returned."""
        found = parse(Counters, counters)
        self.rate = found.rate
        self.block_losses = found.block_losses
        self.flawless_blocks = found.flawless_blocks
        self.curriculum.restore(found.curriculum)


def written(targets: Tapes) -> tuple[Tapes, NDArray[np.bool_]]:
    """The cells (count, t) of targets that a decoder writes: up to the longest answer's first PAD, and which of them
    count: each answer's up to its own first PAD.

    >>> [part.tolist() for part in written(np.array([[2, 0, 0, 0], [1, 2, 0, 0]]))]
    [[[2, 0, 0], [1, 2, 0]], [[True, True, False], [True, True, True]]]
    """
    before = np.cumsum(targets == PAD, axis=1) - (targets == PAD)
    counted = before == 0
    longest = int(counted.sum(axis=1).max())
    return targets[:, :longest], counted[:, :longest]
