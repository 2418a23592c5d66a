"""Training of the Diagonal Neural GPU: all lengths in every step, AdaMax, and a cost on saturated gates.

A recipe may have a network that has learned to multiply learn to add as well, in between products.

A recipe may let hardening follow once most outputs are exact. The cost goes, and noise on the pre-activations drives
gates and candidates to where they are cut. Weights shrink; those that little depends on become zero and stay zero. Then
states are rounded while the rate falls.

A recipe may let a drill follow. The hardest of many examples come back until they are easy, and the result is an
average of the weights on the way; looks at longer inputs may choose which.
"""

from dataclasses import replace
from statistics import fmean
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from neuralgpu.models.diagonal import Diagonal
from neuralgpu.tasks import PAD, Batch, Task, get_task
from neuralgpu.tasks.arithmetic import Arithmetic
from neuralgpu.tasks.digits import Mixture
from neuralgpu.training.adamax import ClippedAdaMax, beta2
from neuralgpu.training.average import Average
from neuralgpu.training.config import RunConfig
from neuralgpu.training.drill import Drill
from neuralgpu.training.noise import add_gradient_noise
from neuralgpu.training.recipes import DiagonalRecipe
from neuralgpu.training.selection import Selection
from neuralgpu.training.trainer import StepResult, Trainer, part

BLOCK = 200
"""Steps after which the rate and the weight of the saturation cost are looked at again."""
LOWEST_RATE = 1 / 60
"""Of the first rate; blocks that get worse lower it no further."""
FITTED_OVER = 100
"""Steps whose exact outputs decide that fitting ends."""
DRILL_RAMP = 50
"""Steps in which the rate grows at the start of a drill."""
JOIN_AT = 0.9
"""Share of exact products at which additions join them, in a recipe without hardening."""
COUNTERS = ("saturation", "joined_since", "hardening_since", "exacts", "losses", "block_losses")


class DiagonalTrainer(Trainer):
    """Trains a Diagonal Neural GPU."""

    model: Diagonal

    def __init__(self, config: RunConfig, recipe: DiagonalRecipe) -> None:
        self.recipe = recipe
        model = Diagonal(recipe.model, get_task(config.task).with_layout(recipe.layout).symbols, config.seed)
        super().__init__(config, model)
        self.operations = self.learned_operations()
        self.saturation = recipe.saturation
        self.joined_since = 0  # the step at which additions joined multiplications, 0 before it
        self.hardening_since = 0  # the step at which hardening began, 0 before it
        self.exacts: list[float] = []  # of the last FITTED_OVER steps
        self.losses: list[float] = []  # of this block's steps
        self.block_losses: list[float] = []  # of the last three blocks
        self.drills: dict[int, Drill] = {}  # by the tape's length
        self.average = Average(recipe.average)  # of the weights in a drill
        self.selection = Selection(self.task, recipe.select_lengths, config.seed)

    @property
    def finished(self) -> bool:
        """Whether the last step is done."""
        return self.step >= self.last_step

    @property
    def last_step(self) -> int:
        """The last step of the drill or of hardening; before that begins, the last one that the recipe allows."""
        recipe, since = self.recipe, self.hardening_since
        return min(recipe.max_steps, since + recipe.harden_steps + recipe.drill_steps) if since else recipe.max_steps

    @property
    def hardened_steps(self) -> int:
        """The steps of hardening so far."""
        return self.step - self.hardening_since if self.hardening_since else 0

    @property
    def drilled_steps(self) -> int:
        """The steps of the drill so far."""
        return max(0, self.hardened_steps - self.recipe.harden_steps)

    @property
    def drilling(self) -> bool:
        """Whether this is a step of the drill."""
        return self.drilled_steps > 0

    def new_optimizer(self) -> torch.optim.Optimizer:
        """AdaMax with clipped gradients."""
        return ClippedAdaMax(self.model.parameters(), lr=self.learning_rate)

    def run_step(self, rng: np.random.Generator, generator: torch.Generator) -> StepResult:
        """Train on a minibatch of each length."""
        recipe = self.recipe
        self.optimizer.zero_grad()
        results = [self.run_length(length, rng, generator) for length in self.lengths]
        add_gradient_noise(self.model.parameters(), self.learning_rate * recipe.noise_scale, generator)
        for group in self.optimizer.param_groups:
            group["beta2"] = beta2(self.step)
        self.move_weights()
        result = StepResult(*np.mean(results, axis=0).tolist())
        self.after_step(result)
        return result

    def run_length(self, length: int, rng: np.random.Generator, generator: torch.Generator) -> tuple[float, ...]:
        """Gradients of a minibatch of one length; the loss, exact outputs and right symbols of what is new in it."""
        recipe = self.recipe
        cells = length + recipe.slack - (0 if self.drilling else recipe.spare)
        drill = self.drills.setdefault(cells, Drill.empty(cells))
        if self.drilling and recipe.mined:
            self.mine(drill, length, cells, rng, generator)
        drilled = min(round(recipe.batch * recipe.drill), recipe.batch - 1)  # one example is new at least
        old = drill.draw(rng, drilled if self.drilling else 0)
        new = self.minibatch(rng, length, cells, recipe.batch - len(old.inputs))
        inputs, targets = (torch.from_numpy(np.concatenate(tapes)) for tapes in zip(old, new, strict=True))
        logits, saturated = self.model.run(inputs, self.dropout, self.gate_noise, generator, self.rounding)
        loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
        self.check_loss(loss)
        ((loss + self.saturation * saturated) / len(self.lengths)).backward()  # type: ignore[no-untyped-call]
        losses = symbol_losses(logits, targets)
        if self.drilling:
            drill.learn(new, losses.sum(dim=1).double().numpy())
        fresh = np.s_[len(old.inputs) :]
        right = (logits.argmax(dim=-1) == targets)[fresh]
        return losses[fresh].mean().item(), right.all(dim=1).float().mean().item(), right.float().mean().item()

    @torch.no_grad()
    def mine(self, drill: Drill, length: int, cells: int, rng: np.random.Generator, generator: torch.Generator) -> None:
        """Try more new examples of one length than a step can train on; the drill keeps hard ones."""
        found = self.minibatch(rng, length, cells, self.recipe.mined)
        logits, _saturated = self.model.run(torch.from_numpy(found.inputs), self.dropout, self.gate_noise, generator)
        drill.learn(found, symbol_losses(logits, torch.from_numpy(found.targets)).sum(dim=1).double().numpy())

    @torch.no_grad()
    def move_weights(self) -> None:
        """Follow the gradients; in hardening kernels shrink at first, and what is pruned after that stays zero."""
        recipe, U = self.recipe, self.model.U
        pruned = U == 0
        self.optimizer.step()
        self.model.lay_belts()
        if not (recipe.shrink and self.hardened_steps):
            return
        if self.hardened_steps > recipe.shrink_steps:
            U[pruned] = 0
            return
        U.copy_(F.softshrink(U, recipe.shrink * self.learning_rate))
        if self.hardened_steps == recipe.shrink_steps:
            U[U.abs() < recipe.prune_below] = 0

    def learned_operations(self) -> tuple[Task, ...]:
        """What the network learns, without slack: the task, or multiplication and then addition for either of them."""
        task = self.task.with_layout(replace(self.recipe.layout, slack=0))
        if not (self.recipe.together and isinstance(task, Arithmetic)):
            return (task,)
        return tuple(sorted((task, task.partner()), key=lambda one: one.name, reverse=True))

    def tasks(self, count: int) -> dict[Task, int]:
        """How many of so many examples are of which task, at this step."""
        first, *others = self.operations
        sums = round(count * self.recipe.together) if others and self.joined_since else 0
        return {first: count - sums} | dict.fromkeys(others, sums)

    def minibatch(self, rng: np.random.Generator, length: int, cells: int, count: int) -> Batch:
        """New examples of one length, on tapes of so many cells."""
        parts = [self.examples(task, rng, length, cells, some) for task, some in self.tasks(count).items() if some]
        return Batch(*(np.concatenate(tapes) for tapes in zip(*parts, strict=True)))

    def examples(self, task: Task, rng: np.random.Generator, length: int, cells: int, count: int) -> Batch:
        """Examples of one task on tapes of so many cells; most are as large as the length allows, some smaller."""
        largest, mixture = task.largest_size(length), self.mixture
        shorter = int(rng.binomial(count, self.recipe.shorter))
        inputs = np.full((count, cells), PAD)
        targets = np.full_like(inputs, task.filler)
        start = 0
        for some, size in ((count - shorter, largest), (shorter, int(rng.integers(1, largest + 1)))):
            batch = task.sample(rng, some, size, mixture)
            part = np.s_[start : start + some, : batch.inputs.shape[1]]
            inputs[part], targets[part] = batch
            start += some
        return Batch(inputs, targets)

    @property
    def lengths(self) -> tuple[int, ...]:
        """The lengths that this step trains, slack aside."""
        return self.recipe.drill_lengths if self.drilling else self.recipe.lengths

    @property
    def mixture(self) -> Mixture:
        """What new examples of this step are drawn from."""
        recipe = self.recipe
        if self.drilling:
            return Mixture(recipe.drill_structured, recipe.uneven, recipe.unequal)
        return Mixture(recipe.structured)

    @property
    def dropout(self) -> float:
        """The share of candidates that this step leaves out."""
        return self.recipe.harden_dropout if self.hardening_since else self.recipe.dropout

    @property
    def gate_noise(self) -> float:
        """The amplitude of the noise on pre-activations, at this step."""
        return self.recipe.gate_noise * min(1.0, self.hardened_steps / self.recipe.gate_noise_ramp)

    @property
    def rounding(self) -> bool:
        """Whether states are rounded at this step, where the model has levels."""
        return not self.recipe.harden_at or self.hardened_steps >= self.recipe.round_after

    def after_step(self, result: StepResult) -> None:
        """Change the rate and the weight of the saturation cost as the recipe says."""
        recipe = self.recipe
        if self.hardening_since:
            self.anneal()
            if recipe.drill_steps and self.hardened_steps >= recipe.harden_steps:
                self.average.follow(self.model)
                self.select()
            return
        self.losses.append(result.loss)
        self.exacts = [*self.exacts, result.exact][-FITTED_OVER:]
        fitted = len(self.exacts) == FITTED_OVER and fmean(self.exacts) >= (recipe.harden_at or JOIN_AT)
        still_to_come = recipe.harden_steps + recipe.drill_steps
        last_chance = bool(recipe.harden_at) and self.step >= recipe.max_steps - still_to_come
        if (fitted or last_chance) and len(self.operations) > 1 and not self.joined_since:
            self.join()
            fitted = False
        if last_chance or (fitted and recipe.harden_at):
            self.hardening_since, self.saturation = self.step, 0.0
        elif self.losses and self.step % BLOCK == 0:
            self.end_block()

    def join(self) -> None:
        """Let additions join multiplications; what went before says nothing about the mix."""
        self.joined_since = self.step
        for results in (self.exacts, self.losses, self.block_losses):
            results.clear()

    def select(self) -> None:
        """Look at longer inputs now and then; in the end return to the best average, or to the last."""
        every = self.recipe.select_every
        if every and (self.drilled_steps % every == 0 or self.finished):
            with self.average.shown(self.model):
                self.selection.consider(self.model)
        if self.finished:
            self.model.load_state_dict(self.selection.weights or self.average.weights)

    def anneal(self) -> None:
        """Lower the rate in the last steps of hardening, and of the drill, by the same factor in each."""
        recipe = self.recipe
        rate, left = recipe.learning_rate, recipe.harden_steps - self.hardened_steps
        if left <= 0 and recipe.drill_steps:
            rate = recipe.drill_rate * min(1.0, (self.drilled_steps + 1) / DRILL_RAMP)
            left = recipe.drill_steps - self.drilled_steps
        elif left > recipe.anneal_steps:
            return
        share = 1 - min(max(0, left), recipe.anneal_steps) / recipe.anneal_steps
        self.set_learning_rate(rate * recipe.anneal_to**share)

    def end_block(self) -> None:
        """Weigh the saturation cost by the block's loss, and lower the rate where blocks get worse."""
        recipe, mean = self.recipe, fmean(self.losses)
        self.losses.clear()
        self.saturation = min(recipe.saturation, self.learning_rate * mean)
        self.block_losses = [*self.block_losses, mean][-3:]
        if len(self.block_losses) == 3 and min(self.block_losses[1:]) > self.block_losses[0]:
            lowered = self.learning_rate * recipe.rate_factor
            self.set_learning_rate(max(lowered, recipe.learning_rate * LOWEST_RATE))

    def gauges(self) -> dict[str, float]:
        """What the recipe changes as training goes on."""
        kept = self.model.U.count_nonzero().item() / self.model.U.numel()
        return {"saturation_weight": self.saturation, "gate_noise": self.gate_noise, "kept_weights": kept} | (
            {"selected_exact": self.selection.score} if self.selection.weights else {}
        )

    def milestone(self) -> tuple[int, int, str]:
        """The step, of the last."""
        words = f"rate {self.learning_rate:.5f}"
        if self.joined_since:
            words += f", additions since step {self.joined_since}"
        if self.hardening_since:
            words += f", hardening since step {self.hardening_since}, noise {self.gate_noise:.3f}"
        if self.drilling:
            words += f", drill since step {self.step - self.drilled_steps}"
        return self.step, self.last_step, words

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """All that training needs to go on from here, drills included."""
        tensors, state = super().state()
        for cells, drill in self.drills.items():
            tensors |= {f"drill.{cells}.{name}": tensor for name, tensor in drill.state().items()}
        for kind, weights in (("selected", self.selection.weights), ("average", self.average.weights)):
            tensors |= {f"{kind}.{name}": weight for name, weight in weights.items()}
        return tensors, state

    def _restore(self, tensors: dict[str, Tensor], state: dict[str, Any]) -> None:
        super()._restore(tensors, state)
        self.selection.weights = part(tensors, "selected.")
        self.average.weights = part(tensors, "average.")
        for cells in {int(name.split(".")[0]) for name in part(tensors, "drill.")}:
            self.drills[cells] = Drill.restore(part(tensors, f"drill.{cells}."))

    def counters(self) -> dict[str, Any]:
        """Where hardening began, the last results, and the weight that follows from them."""
        return {name: getattr(self, name) for name in COUNTERS} | {"selected": self.selection.score}

    def restore_counters(self, counters: dict[str, Any]) -> None:
        """Go on from what `counters` returned."""
        for name in COUNTERS:
            setattr(self, name, counters[name])
        self.selection.score = counters["selected"]


def symbol_losses(logits: Tensor, targets: Tensor) -> Tensor:
    """The cross entropy of each symbol (batch, n), without gradients."""
    return F.cross_entropy(logits.detach().transpose(1, 2), targets, reduction="none")
