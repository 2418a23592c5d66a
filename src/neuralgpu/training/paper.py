"""Training as in section 3.3 of the paper: curriculum, dropout, gradient noise and parameter sharing relaxation."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from neuralgpu.errors import UserError
from neuralgpu.models.config import NeuralGPUConfig
from neuralgpu.models.neural_gpu import NeuralGPU
from neuralgpu.runs.config import parse
from neuralgpu.tasks import PAD, Task
from neuralgpu.training.config import TrainConfig
from neuralgpu.training.curriculum import Block, Curriculum, CurriculumState
from neuralgpu.training.data import TrainingData
from neuralgpu.training.descent import descend
from neuralgpu.training.relaxation import relaxation_cost, set_distance, shared_moments
from neuralgpu.training.settings import PaperSettings
from neuralgpu.training.trainer import Milestone, StepResult, Trainer


@dataclass(frozen=True)
class Counters:
    """What a checkpoint keeps of this training besides tensors and the step."""

    rate: float
    pull: float
    block_losses: list[float]
    flawless_blocks: int
    curriculum: CurriculumState


class PaperTrainer(Trainer):
    """Trains a Neural GPU by the paper's recipe."""

    model: NeuralGPU

    def __init__(self, config: TrainConfig, task: Task, recipe: PaperSettings) -> None:
        super().__init__(config, task)
        self.recipe = recipe
        self.rate = recipe.learning_rate
        model = config.network.model
        if not isinstance(model, NeuralGPUConfig):
            raise UserError(f"the paper's training is for a Neural GPU, not for a model of kind {model.kind}")
        self.model = NeuralGPU(
            model,
            self.task.symbols,
            config.seed,
            self.compute,
            sets=recipe.relaxation_sets,
            scale=recipe.initial_scale,
            gate_bias=recipe.gate_bias,
        )
        self.optimizer = self.new_optimizer()
        self.data = TrainingData(self.task, recipe.examples_per_size, config.seed)
        self.curriculum = Curriculum(recipe, self.task)
        self.grown_pull = recipe.relaxation_pull
        self.block_losses: list[float] = []
        self.flawless_blocks = 0

    @property
    def learning_rate(self) -> float:
        """Adam's."""
        return self.rate

    @property
    def pull(self) -> float:
        """The relaxation pull; nothing is pulled once there is a single set."""
        return self.grown_pull if self.model.sets > 1 else 0.0

    @property
    def finished(self) -> bool:
        """Whether the largest size is mastered, or the last step done."""
        mastered = 0 < self.recipe.finish_blocks <= self.flawless_blocks
        return mastered or self.step >= self.recipe.max_steps

    def new_optimizer(self) -> torch.optim.Optimizer:
        """Adam."""
        return torch.optim.Adam(self.model.parameters(), lr=self.rate, eps=self.recipe.adam_epsilon)

    def run_step(self, rng: np.random.Generator, generator: torch.Generator) -> StepResult:
        """Train on one minibatch."""
        recipe = self.recipe
        level = self.curriculum.sample(rng)
        batch = self.data.minibatch(rng, recipe.batch, level, self.curriculum.size(level))
        inputs, targets = torch.from_numpy(batch.inputs), torch.from_numpy(batch.targets)

        cells = inputs.shape[1]
        steps = self.config.network.steps(cells)
        logits, _ = self.model.run(inputs, steps, dropout=self.dropout(cells), generator=generator)
        targets = targets.to(logits.device)
        loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
        self.check_loss(loss)
        right = logits.argmax(dim=-1) == targets  # (batch, n)
        counted = right if recipe.count_pad else right | (targets == PAD)
        exact = counted.all(dim=1).float().mean().item()

        cost = loss + self.pull * relaxation_cost(self.model) if self.pull else loss
        descend(self.optimizer, cost, recipe, self.step, exact, generator)

        block = self.curriculum.record(level, exact, loss.item())
        if block:
            self.end_block(block)
        return StepResult(loss.item(), exact, right.float().mean().item())

    def dropout(self, length: int) -> float:
        """The dropout rate for tapes of this length."""
        recipe = self.recipe
        return recipe.dropout * min(1, recipe.dropout_length / length) if recipe.dropout_length else recipe.dropout

    def end_block(self, block: Block) -> None:
        """Draw the consequences of a block that the curriculum has counted."""
        recipe = self.recipe
        lasting = self.model.sets == 1 or recipe.unify == "repeatedly"
        self.flawless_blocks += lasting and block.at_largest and block.exact == 1
        if block.passed and not block.at_largest:
            self.block_losses = []  # the next one is of larger inputs
        worse = len(self.block_losses) == 3 and block.loss > max(self.block_losses)
        self.block_losses = [*self.block_losses, block.loss][-3:]
        averaged = block.passed and self.pull_together(block)
        good = averaged and 1 - block.exact < (1 - recipe.curriculum_threshold) / 3
        self.rate *= recipe.decay ** (worse + good)
        self.set_rate(self.rate)

    def pull_together(self, block: Block) -> bool:
        """Raise the pull after a block that passed, or average the sets; returns whether they were averaged by then."""
        recipe = self.recipe
        if self.model.sets == 1:
            return block.at_largest
        if self.grown_pull < recipe.relaxation_pull_full:
            self.grown_pull *= recipe.relaxation_pull_factor**self.curriculum.cells
            return False
        if recipe.unify == "repeatedly":
            self.model.average_sets()
            return True
        if block.at_largest:
            self.unify()
        return False

    def unify(self) -> None:
        """Let one set take the place of all, and Adam go on."""
        moments = {
            name: shared_moments(self.optimizer.state[weight]) if name in ("U", "B") else self.optimizer.state[weight]
            for name, weight in self.model.named_parameters()
        }
        self.model.unify()
        self.optimizer = self.new_optimizer()
        for name, weight in self.model.named_parameters():
            self.optimizer.state[weight] = moments[name]

    def gauges(self) -> dict[str, float]:
        """The curriculum's size, and the relaxation."""
        size = self.curriculum.size(self.curriculum.level)
        distance = set_distance(self.model)
        return {"size": size, "pull": self.pull, "sets": self.model.sets, "set_distance": distance}

    def milestone(self) -> Milestone:
        """The curriculum's size, of the largest."""
        level, largest = self.curriculum.level, self.curriculum.largest
        relaxed = f"pull {self.pull:.2g} on {self.model.sets} sets" if self.model.sets > 1 else "one set"
        sizes = "/".join(str(self.curriculum.size(each)) for each in (level, largest))
        words = f"{sizes} {self.task.unit}  {relaxed}"
        return Milestone(level, largest, words, steps_left=self.recipe.max_steps - self.step)

    def counters(self) -> dict[str, Any]:
        """The rate, the curriculum, and what was counted of its blocks."""
        state = self.curriculum.state()
        return asdict(Counters(self.rate, self.grown_pull, self.block_losses, self.flawless_blocks, state))

    def restore_counters(self, counters: dict[str, Any]) -> None:
        """Go on from what `counters` returned."""
        found = parse(Counters, counters)
        self.rate = found.rate
        self.grown_pull = found.pull
        self.block_losses = found.block_losses
        self.flawless_blocks = found.flawless_blocks
        self.curriculum.restore(found.curriculum)

    def restore_tensors(self, tensors: dict[str, Tensor]) -> None:
        """Take over weights and moments; the checkpoint may be of one set already."""
        if self.model.sets > 1 and tensors["model.U"].shape[0] == 1:
            self.model.unify()
        super().restore_tensors(tensors)
