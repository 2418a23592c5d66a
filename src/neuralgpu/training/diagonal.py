"""Training of the Diagonal Neural GPU: all lengths in every step, AdaMax, and a cost on saturated gates.

A recipe may let hardening follow once most outputs are exact. The cost goes, and noise on the pre-activations drives
gates and candidates to where they are cut. Weights shrink; those that little depends on become zero and stay zero. Then
states are rounded while the rate falls. The result is an average of the weights on the way. Where hardening goes badly,
or the result fails an exam, training may start again from other weights; it may also end where the average passes one
on the way. A recipe may ask for several such networks, each from weights of its own or from those of the one before it,
with the rate up and down again. They err elsewhere: their outputs are averaged.
"""

import copy
from dataclasses import replace
from statistics import fmean
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from neuralgpu.models.diagonal import Diagonal, side_by_side
from neuralgpu.models.registry import Model
from neuralgpu.streams import Stream, stream
from neuralgpu.tasks import Batch, Mixture, get_task
from neuralgpu.training import exam
from neuralgpu.training.adamax import ClippedAdaMax, beta2
from neuralgpu.training.average import Average
from neuralgpu.training.config import RunConfig
from neuralgpu.training.muon import Muon
from neuralgpu.training.noise import add_gradient_noise
from neuralgpu.training.recipes import JUDGED_OVER, DiagonalRecipe
from neuralgpu.training.trainer import StepResult, Trainer, part

BLOCK = 200
"""Steps after which the rate and the weight of the saturation cost are looked at again."""
LOWEST_RATE = 1 / 60
"""Of the first rate; blocks that get worse lower it no further."""
COUNTERS = (
    "saturation",
    "hardening_since",
    "slowed",
    "settled_since",
    "passed_at",
    "member_since",
    "exacts",
    "losses",
    "block_losses",
    "retried",
    "started",
)


class DiagonalTrainer(Trainer):
    """Trains a Diagonal Neural GPU."""

    model: Diagonal
    hardening_since = 0  # the step at which hardening began, 0 before it
    slowed = False  # whether fitting has come so far that kernels move less

    def __init__(self, config: RunConfig, recipe: DiagonalRecipe) -> None:
        self.recipe = recipe
        super().__init__(config, self.new_member(get_task(config.task).symbols, config.seed))
        self.mixture = Mixture(
            any_lengths=recipe.unequal,
            patterned=recipe.structured,
            any_density=recipe.uneven,
            runs=recipe.chained,
        )
        self.retried = 0  # how often training has started again
        self.earlier: list[Diagonal] = []  # the networks that are done, where there is to be more than one
        self.member_since = 0  # the step at which the last of these was done
        self.begin()

    def begin(self) -> None:
        """Set what changes in the course of training to where it begins."""
        recipe = self.recipe
        self.started = self.step
        self.saturation = recipe.saturation
        self.hardening_since, self.slowed = 0, False
        self.settled_since = 0  # the step at which hardening had done enough for the rate to fall, 0 before it
        self.passed_at = 0  # the step at which the average passed an exam on the way, 0 before it
        self.exacts: list[float] = []  # of the last JUDGED_OVER steps of a phase
        self.losses: list[float] = []  # of this block's steps
        self.block_losses: list[float] = []  # of the last three blocks
        self.average = Average(recipe.average)  # of the weights in hardening

    def new_member(self, symbols: int, seed: int) -> Diagonal:
        """One of the networks that share the recipe's maps, untrained."""
        model = self.recipe.model
        return Diagonal(replace(model, maps=model.maps // self.recipe.members), symbols, seed)

    @property
    def finished(self) -> bool:
        """Whether the last network is done."""
        return self.member_done and len(self.earlier) + 1 == self.recipe.members

    @property
    def goes_on(self) -> bool:
        """Whether the present network began with the weights of the one before it."""
        return bool(self.earlier and self.recipe.member_steps)

    @property
    def member_done(self) -> bool:
        """Whether the last step of the present network is done."""
        return self.step >= self.last_step

    @property
    def last_step(self) -> int:
        """The last step of the present network; before hardening begins, the last one that the recipe allows."""
        recipe = self.recipe
        if self.goes_on:
            return self.member_since + recipe.member_steps
        lasts = [self.started + recipe.max_steps]
        if self.hardening_since:
            lasts.append(self.hardening_since + recipe.harden_steps)
        if self.settled_since:
            lasts.append(self.settled_since + recipe.anneal_steps)
        if self.passed_at:
            lasts.append(self.passed_at)
        return min(lasts)

    @property
    def hardened_steps(self) -> int:
        """The steps of hardening so far."""
        return self.step - self.hardening_since if self.hardening_since else 0

    def new_optimizer(self) -> torch.optim.Optimizer:
        """AdaMax with clipped gradients; kernels may follow Muon until hardening."""
        if self.recipe.muon and not self.hardening_since:
            return Muon(self.model.parameters(), lr=self.learning_rate, share=self.muon_share)
        return ClippedAdaMax(self.model.parameters(), lr=self.learning_rate)

    @property
    def muon_share(self) -> float:
        """What kernels move by in a step of Muon, as a share of the rate."""
        return self.recipe.muon * (self.recipe.slow_to if self.slowed else 1.0)

    def run_step(self, rng: np.random.Generator, generator: torch.Generator) -> StepResult:
        """Train on a minibatch of each length."""
        recipe = self.recipe
        self.optimizer.zero_grad()
        results = [self.run_length(length, rng, generator) for length in self.lengths]
        add_gradient_noise(self.model.parameters(), self.learning_rate * recipe.noise_scale, generator)
        for group in self.optimizer.param_groups:
            group["beta2"] = beta2(self.step - self.started)
        if isinstance(self.optimizer, Muon):
            self.optimizer.share = self.muon_share
        self.move_weights()
        result = StepResult(*np.mean(results, axis=0).tolist())
        self.after_step(result)
        return result

    def run_length(self, length: int, rng: np.random.Generator, generator: torch.Generator) -> tuple[float, ...]:
        """Gradients of a minibatch of one length; its loss, exact outputs and right symbols."""
        cells = length + self.recipe.slack - self.spare(rng)
        inputs, targets = map(torch.from_numpy, self.minibatch(rng, length, cells, self.recipe.batch))
        logits, saturated = self.model.run(
            inputs, self.dropout, self.gate_noise, generator, self.rounding, pruned=self.pruned
        )
        loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
        self.check_loss(loss)
        ((loss + self.saturation * saturated) / len(self.lengths)).backward()  # type: ignore[no-untyped-call]
        right = logits.argmax(dim=-1) == targets
        return loss.item(), right.all(dim=1).float().mean().item(), right.float().mean().item()

    @torch.no_grad()
    def move_weights(self) -> None:
        """Follow the gradients; in hardening kernels shrink at first, and what is pruned after that stays zero."""
        recipe, U = self.recipe, self.model.U
        zeros = U == 0
        self.optimizer.step()
        if not (recipe.shrink and self.hardened_steps):
            return
        if self.pruned:
            U[zeros] = 0
            return
        U.copy_(F.softshrink(U, recipe.shrink * self.learning_rate))
        if self.hardened_steps == recipe.shrink_steps:
            U[U.abs() < recipe.prune_below] = 0

    def minibatch(self, rng: np.random.Generator, length: int, cells: int, count: int) -> Batch:
        """Examples on tapes of so many cells; most are as large as the length allows, some smaller."""
        largest = self.task.largest_size(length)
        shorter = int(rng.binomial(count, self.recipe.shorter))
        sizes = ((count - shorter, largest), (shorter, int(rng.integers(1, largest + 1))))
        parts = [self.task.sample(rng, some, size, self.mixture, cells) for some, size in sizes if some]
        return Batch(*(np.concatenate(tapes) for tapes in zip(*parts, strict=True)))

    @property
    def lengths(self) -> tuple[int, ...]:
        """The lengths that this step trains, slack aside."""
        return self.recipe.harden_lengths if self.hardening_since else self.recipe.lengths

    def spare(self, rng: np.random.Generator) -> int:
        """The cells of the slack that a minibatch leaves out."""
        spares = self.recipe.harden_spare if self.hardening_since else (self.recipe.spare,)
        return int(rng.choice(spares)) if len(spares) > 1 else spares[0]

    @property
    def dropout(self) -> float:
        """The share of candidates that this step leaves out."""
        return self.recipe.harden_dropout if self.hardening_since else self.recipe.dropout

    @property
    def gate_noise(self) -> float:
        """The amplitude of the noise on pre-activations, at this step."""
        return self.recipe.gate_noise * min(1.0, self.hardened_steps / self.recipe.gate_noise_ramp)

    @property
    def pruned(self) -> bool:
        """Whether weights that are zero stay zero in this step."""
        return bool(self.recipe.shrink) and self.hardened_steps > self.recipe.shrink_steps

    @property
    def rounding(self) -> bool:
        """Whether states are rounded at this step, where the model has levels."""
        return not self.recipe.harden_at or self.hardened_steps >= self.recipe.round_after

    def after_step(self, result: StepResult) -> None:
        """Begin the next phase when it is time, and change what the recipe changes within one."""
        recipe = self.recipe
        self.exacts = [*self.exacts, result.exact][-JUDGED_OVER:]
        if not self.hardening_since:
            self.losses.append(result.loss)
            if recipe.harden_at and (self.exact(recipe.harden_at) or self.left <= recipe.harden_steps):
                self.begin_hardening()
                return
            if recipe.slow_at and self.exact(recipe.slow_at):
                self.slowed = True
            if self.step % BLOCK == 0:
                self.end_block()
            return
        judged = self.hardened_steps >= recipe.round_after + JUDGED_OVER - 1  # so many steps with rounded states
        if recipe.settle_at and not self.settled_since and judged and self.exact(recipe.settle_at):
            self.settled_since = self.step
        self.anneal()
        self.follow()
        if self.retried < recipe.retries and not self.goes_on and (self.going_badly or self.failed_exam):
            self.start_again()
        elif self.member_done and not self.finished:
            self.begin_member()

    def begin_hardening(self) -> None:
        """Leave fitting behind, with the cost on saturated gates and Muon."""
        self.hardening_since, self.saturation, self.exacts = self.step, 0.0, []
        if self.recipe.muon:
            self.optimizer = self.new_optimizer()

    @property
    def going_badly(self) -> bool:
        """Whether this is a step that decides about hardening, and too few outputs are exact."""
        below = dict(zip(self.recipe.retry_steps, self.recipe.retry_below, strict=True))
        return self.hardened_steps in below and not self.exact(below[self.hardened_steps])

    @property
    def failed_exam(self) -> bool:
        """Whether the present network is done and not good enough."""
        return self.member_done and not self.passed_at and not self.passes_exam(self.model, self.retried)

    @property
    def sits_exam(self) -> bool:
        """Whether the average sits an exam after this step, which is not the last."""
        every = self.recipe.exam_every
        return bool(every) and self.pruned and self.hardened_steps % every == 0 and not self.member_done

    @property
    def exams(self) -> int:
        """How many of these the present network has sat."""
        every, before = self.recipe.exam_every, max(self.recipe.shrink_steps, self.recipe.round_after - 1)
        return max(0, self.hardened_steps // every - before // every) if every else 0

    def passes_exam(self, model: Diagonal, number: int) -> bool:
        """Whether the model is right on the inputs of the exam so numbered."""
        rng = stream(self.config.seed, Stream.EXAM, number)
        return exam.passes(model, self.task, self.recipe, self.mixture, rng)

    def start_again(self) -> None:
        """Forget what this network has learned."""
        self.retried += 1
        self.begin_anew()

    def begin_anew(self) -> None:
        """Begin with other weights."""
        begun = self.retried + len(self.earlier)
        seed = int(stream(self.config.seed, Stream.RETRY, begun).integers(2**62))
        self.model.load_state_dict(self.new_member(len(self.model.E), seed).state_dict())
        self.begin()
        self.optimizer = self.new_optimizer()
        self.set_learning_rate(self.recipe.learning_rate)

    def begin_member(self) -> None:
        """Keep this network; the next one goes on from it, or begins with weights of its own."""
        self.earlier.append(copy.deepcopy(self.model))
        self.member_since = self.step
        if self.goes_on:
            self.set_learning_rate(self.recipe.learning_rate)
        else:
            self.begin_anew()

    def result(self) -> Model:
        """The network as far as it is trained; the present part of it stands for those to come."""
        missing = self.recipe.members - len(self.earlier)
        return side_by_side([*self.earlier, *[self.model] * missing]) if self.recipe.members > 1 else self.model

    @property
    def left(self) -> int:
        """The steps that are still to come of the present network."""
        return self.last_step - self.step

    def exact(self, share: float) -> bool:
        """Whether this share of the outputs of the last steps was exact."""
        return len(self.exacts) == JUDGED_OVER and fmean(self.exacts) >= share

    def anneal(self) -> None:
        """Lower the rate in the last steps of a network, by the same factor in each."""
        recipe = self.recipe
        steps = recipe.member_steps // 2 if self.goes_on else recipe.anneal_steps
        if self.left <= steps:
            self.set_learning_rate(recipe.learning_rate * recipe.anneal_to ** (1 - self.left / steps))

    def follow(self) -> None:
        """Average the weights of hardening, from where states are rounded; in the end the average is the result.

        It may be good enough before that: an exam tells.
        """
        if not (self.recipe.average and self.rounding):
            return
        self.average.follow(self.model)
        if self.sits_exam:
            average = copy.deepcopy(self.model)
            average.load_state_dict(self.average.weights)
            self.passed_at = self.step if self.passes_exam(average, self.step) else 0
        if self.member_done:
            self.model.load_state_dict(self.average.weights)

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
        return {
            "saturation_weight": self.saturation,
            "gate_noise": self.gate_noise,
            "kept_weights": self.model.kept_weights,
        }

    def milestone(self) -> tuple[int, int, str]:
        """The step, of the last."""
        words = f"rate {self.learning_rate:.5f}"
        if self.hardening_since:
            words += f", hardening since step {self.hardening_since}, noise {self.gate_noise:.3f}"
        if self.exams:
            words += f", exams sat: {self.exams}"
        if self.retried:
            words += f", retry {self.retried}"
        if self.recipe.members > 1:
            words += f", network {len(self.earlier) + 1} of {self.recipe.members}"
        return self.step, self.last_step, words

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """All that training needs to go on from here, the average and the networks that are done included."""
        tensors, state = super().state()
        tensors |= {f"average.{name}": weight for name, weight in self.average.weights.items()}
        for k, member in enumerate(self.earlier):
            tensors |= {f"earlier.{k}.{name}": weight for name, weight in member.state_dict().items()}
        return tensors, state

    def _restore(self, tensors: dict[str, Tensor], state: dict[str, Any]) -> None:
        super()._restore(tensors, state)
        self.average.weights = part(tensors, "average.")
        self.earlier = []
        while weights := part(tensors, f"earlier.{len(self.earlier)}."):
            self.earlier.append(copy.deepcopy(self.model))
            self.earlier[-1].load_state_dict(weights)

    def counters(self) -> dict[str, Any]:
        """Where hardening began, the last results, and the weight that follows from them."""
        return {name: getattr(self, name) for name in COUNTERS}

    def restore_counters(self, counters: dict[str, Any]) -> None:
        """Go on from what `counters` returned."""
        for name in COUNTERS:
            setattr(self, name, counters[name])
