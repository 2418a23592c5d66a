"""Training in stages: fit all lengths at once, harden what was found, examine it, and start again where it fails.

Fitting is how the authors of the Diagonal Neural GPU train theirs: AdaMax, and a cost on saturated gates; kernels may
follow Muon. Hardening follows once most outputs are exact. The cost goes, and noise on the pre-activations drives
gates and candidates to where they are cut. Weights shrink; those that little depends on become zero and stay zero. Then
states are rounded while the rate falls. The result is an average of the weights on the way, which may sit exams. Where
no attempt passes, the best of them is kept.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, cast

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from neuralgpu.errors import UserError
from neuralgpu.models.config import ModelConfig
from neuralgpu.models.model import Model, TapeModel
from neuralgpu.models.registry import model_class
from neuralgpu.runs.config import parse
from neuralgpu.streams import Stream, stream
from neuralgpu.tasks import Batch, Task
from neuralgpu.training import exam
from neuralgpu.training.adamax import ClippedAdaMax, beta2
from neuralgpu.training.attempt import (
    BLOCK,
    FIRST_LENGTHS,
    Attempt,
    Plan,
    annealed,
    end_block,
    grow,
    network_at,
    plan,
    rate_factor,
)
from neuralgpu.training.config import TrainConfig
from neuralgpu.training.muon import Muon
from neuralgpu.training.noise import add_gradient_noise
from neuralgpu.training.settings import JUDGED_OVER, StagedSettings
from neuralgpu.training.trainer import Milestone, StepResult, Trainer, part

NOISE_SCALE = 1e-4
"""Deviation of the gradient noise, times the rate, as the authors of the Diagonal Neural GPU have it."""
SLOW_TO = 0.4
"""Share of Muon's step that is left once fitting has come far."""
RUNNING = 0.04
"""Weight of the newest loss in the running loss."""
PRUNE_BELOW = 0.01
"""Weights that are smaller after they have shrunk become zero."""
AVERAGE = 0.99
"""Part of the average of the weights that stays in each step."""


@dataclass
class Best:
    """The best of the attempts that have ended without passing an exam."""

    merit: float
    """its exact outputs, as `exam.merit` counts them"""
    attempt: int
    """attempts before it"""


@dataclass
class Counters:
    """What a checkpoint keeps besides tensors and the step."""

    attempt: Attempt
    best: Best | None


class StagedTrainer(Trainer):
    """Trains a tape automaton in attempts, each of which fits, hardens and may sit exams."""

    model: TapeModel

    def __init__(self, config: TrainConfig, task: Task, settings: StagedSettings) -> None:
        super().__init__(config, task)
        check_model(config.network.model, settings)
        self.settings = with_lengths_of(settings, self.task)
        self.best: Best | None = None
        self.best_weights: dict[str, Tensor] = {}
        self.average: AveragedModel | None = None  # of the weights in hardening
        self.begin(0, config.seed)

    def begin(self, number: int, seed: int) -> None:
        """Begin an attempt with weights that nothing was learned with."""
        fit = self.settings.fit
        self.network = network_at(self.config.network, self.settings, number)
        lengths = min(FIRST_LENGTHS, len(fit.lengths)) if fit.grow_when_exact else 0
        self.attempt = Attempt(fit.learning_rate, number, began=self.step, lengths=lengths)
        self.model = self.new_model(seed)
        self.average = None
        self.optimizer = self.new_optimizer()

    def new_model(self, seed: int) -> TapeModel:
        """An untrained network of the present attempt."""
        config = self.network.model
        model: TapeModel = model_class(config)(config, self.task.symbols, seed, self.compute)
        return model

    def new_optimizer(self) -> torch.optim.Optimizer:
        """AdaMax with clipped gradients; kernels may follow Muon."""
        parameters, rate = self.model.parameters(), self.attempt.rate
        return Muon(parameters, rate, self.muon_share) if self.muon_share else ClippedAdaMax(parameters, rate)

    @property
    def learning_rate(self) -> float:
        """The rate of the next step."""
        return self.attempt.rate

    @property
    def muon_share(self) -> float:
        """What kernels move by in a step of Muon, as a share of the rate; 0 where they follow AdaMax."""
        if self.attempt.hardening_since:
            return self.settings.harden.muon
        return self.settings.fit.muon * (SLOW_TO if self.attempt.slowed else 1.0)

    @property
    def last_step(self) -> int:
        """The last step of the present attempt."""
        return self.attempt.last_step(self.settings)

    @property
    def finished(self) -> bool:
        """Whether the last attempt is done."""
        return self.step >= self.last_step

    # One step

    def run_step(self, rng: np.random.Generator, generator: torch.Generator) -> StepResult:
        """Train on a minibatch of each length."""
        now = plan(self.settings, self.attempt.hardened(self.step), self.attempt.lengths)
        rate = self.attempt.rate * (1.0 if self.attempt.hardening_since else rate_factor(self.settings, self.attempt))
        self.optimizer.zero_grad()
        results = [self.run_length(now, length, rng, generator) for length in now.lengths]
        add_gradient_noise(self.model.parameters(), rate * NOISE_SCALE, generator)
        for group in self.optimizer.param_groups:
            group["lr"], group["beta2"] = rate, beta2(self.step - self.attempt.began)
        if isinstance(self.optimizer, Muon):
            self.optimizer.share = self.muon_share
        self.move_weights(now)
        result = StepResult(*np.mean(results, axis=0).tolist())
        if self.attempt.lengths and not self.attempt.hardening_since:
            grow(self.attempt, self.settings, exact=results[-1][1])
        self.after_step(now, result)
        return result

    def run_length(
        self, now: Plan, length: int, rng: np.random.Generator, generator: torch.Generator
    ) -> tuple[float, ...]:
        """Gradients of a minibatch of one length; its loss, exact outputs and right symbols."""
        inputs, targets = map(torch.from_numpy, self.minibatch(rng, length, now.lengths))
        logits, saturated = self.model.run(
            inputs,
            self.steps(rng, inputs.shape[1]),
            dropout=now.dropout,
            noise=now.noise,
            generator=generator,
            rounded=now.rounded,
            zeros_stay=now.pruned,
        )
        targets = targets.to(logits.device)
        loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
        self.check_loss(loss)
        ((loss + self.attempt.saturation * saturated) / len(now.lengths)).backward()  # type: ignore[no-untyped-call]
        right = logits.argmax(dim=-1) == targets
        return loss.item(), right.all(dim=1).float().mean().item(), right.float().mean().item()

    def steps(self, rng: np.random.Generator, cells: int) -> int:
        """As many as in use; or any number from one a cell to that, so that the answer has to stand still."""
        most = self.network.steps(cells)
        return int(rng.integers(cells, most + 1)) if most > cells else most

    def minibatch(self, rng: np.random.Generator, length: int, lengths: Sequence[int]) -> Batch:
        """Examples for one of the lengths of a step."""
        examples, count, task = self.settings.examples, self.settings.fit.batch, self.task
        slack = int(rng.integers(examples.any_slack + 1)) if examples.any_slack else 0
        largest = task.largest_size(length)
        if examples.any_size:
            below = max((task.largest_size(other) for other in lengths if other < length), default=0)
            any_size = rng.random() < examples.any_size
            size = task.nearest_size(int(rng.integers(min(below + 1, largest), largest + 1)) if any_size else largest)
            return self.drawn.sample(rng, count, size, examples, task.extent(size) + slack)
        shorter = int(rng.binomial(count, examples.shorter))
        parts = []
        for some, size in ((count - shorter, largest), (shorter, int(rng.integers(1, largest + 1)))):
            if some:
                parts.append(self.drawn.sample(rng, some, size, examples, length + slack))
        inputs, targets = zip(*parts, strict=True)
        return Batch(np.concatenate(inputs), np.concatenate(targets))

    @torch.no_grad()
    def move_weights(self, now: Plan) -> None:
        """Follow the gradients; in hardening kernels shrink at first, and what is pruned after that stays zero."""
        U = self.model.U
        zeros = U == 0
        self.optimizer.step()
        if now.pruned:
            U[zeros] = 0
        if now.shrinks:
            U.copy_(F.softshrink(U, self.settings.harden.shrink * self.attempt.rate))
        if now.prunes:
            U[U.abs() < PRUNE_BELOW] = 0

    # Between steps

    def after_step(self, now: Plan, result: StepResult) -> None:
        """Draw the consequences of a step: the next stage, the rate, an exam, another attempt."""
        attempt = self.attempt
        attempt.exacts = [*attempt.exacts, result.exact][-JUDGED_OVER:]
        if attempt.hardening_since:
            self.after_hardening_step(now)
        else:
            attempt.losses.append(result.loss)
            self.after_fitting_step()

    def after_fitting_step(self) -> None:
        """Begin hardening when it is time; else change what fitting changes on its way, or give up at its last step."""
        attempt, fit, harden = self.attempt, self.settings.fit, self.settings.harden
        attempt.running_loss += RUNNING * (attempt.losses[-1] - attempt.running_loss)
        if harden.when_exact and attempt.exact(harden.when_exact) and attempt.lengths in (0, len(fit.lengths)):
            attempt.hardening_since, attempt.saturation, attempt.exacts = self.step, 0.0, []
            if fit.muon or harden.muon:
                self.optimizer = self.new_optimizer()
            return
        if fit.slow_when_exact and attempt.exact(fit.slow_when_exact):
            attempt.slowed = True
        if self.step % BLOCK == 0 and not fit.slow_below_loss:
            end_block(attempt, self.settings)
        if self.finished and harden.when_exact:
            self.end_attempt()

    def after_hardening_step(self, now: Plan) -> None:
        """Lower the rate and average the weights; at the end, or where it goes badly, decide about the attempt."""
        attempt, last = self.attempt, self.attempt.number == self.settings.retry.retries
        attempt.rate = annealed(self.settings, attempt.rate, self.last_step - self.step)
        if now.rounded:
            self.follow(now)
        failed = self.finished and not self.passes_at_end()
        if failed or (attempt.goes_badly(self.settings, self.step) and not last):
            self.end_attempt()

    def follow(self, now: Plan) -> None:
        """Average the weights; the average may sit an exam on the way, and is the result in the end."""
        if self.average is None:
            self.average = self.new_average()
        self.average.update_parameters(self.model)
        every = self.settings.exam.every
        ready = now.pruned or not self.settings.harden.shrink
        if every and ready and self.attempt.hardened(self.step) % every == 0 and not self.finished:
            self.sit_exam(self.result(), self.step)
        if self.finished:
            self.model.load_state_dict(self.average.module.state_dict())

    def new_average(self) -> AveragedModel:
        """An average of weights that has seen none yet."""
        average = get_ema_multi_avg_fn(AVERAGE)  # type: ignore[no-untyped-call]
        return AveragedModel(self.model, multi_avg_fn=average)

    def result(self) -> Model:
        """What the attempt would leave if it ended now: the average where there is one."""
        return self.model if self.average is None else cast(Model, self.average.module)

    def passes_at_end(self) -> bool:
        """Whether the attempt has passed an exam, or passes the one at its end; a recipe may have none to fail."""
        attempt = self.attempt
        if self.settings.exam.inputs and not attempt.passed_at:
            self.sit_exam(self.model, attempt.number)
        return not self.settings.exam.inputs or bool(attempt.passed_at)

    def sit_exam(self, model: Model, number: int) -> None:
        """Let a network sit the exam so numbered, and note whether it passed."""
        rng, settings = stream(self.config.seed, Stream.EXAM, number), self.settings
        self.attempt.exams += 1
        if exam.passes(model, self.task, self.network.steps, settings.exam, settings.examples, rng):
            self.attempt.passed_at = self.step

    def end_attempt(self) -> None:
        """Keep an attempt that failed if it is the best so far; begin the next, or end with the best."""
        number, rng = self.attempt.number, stream(self.config.seed, Stream.MERIT)
        merit = exam.merit(self.result(), self.task, self.network.steps, self.settings.examples, rng)
        if self.best is None or merit > self.best.merit:
            self.best = Best(merit, number)
            self.best_weights = {name: tensor.clone() for name, tensor in self.result().state_dict().items()}
        if number < self.settings.retry.retries:
            self.begin(number + 1, int(stream(self.config.seed, Stream.RETRY, number + 1).integers(2**62)))
            return
        self.network = network_at(self.config.network, self.settings, self.best.attempt)
        self.model = self.new_model(0)
        self.model.load_state_dict(self.best_weights)
        self.average = None
        self.optimizer = self.new_optimizer()

    # What others see

    def gauges(self) -> dict[str, float]:
        """What changes as training goes on, and whether an exam was passed."""
        attempt, U = self.attempt, self.model.U
        return {
            "saturation_weight": attempt.saturation,
            "gate_noise": plan(self.settings, attempt.hardened(self.step)).noise,
            "kept_weights": U.count_nonzero().item() / U.numel(),
            "attempt": attempt.number + 1,
            "exams": attempt.exams,
            "exam_passed": float(bool(attempt.passed_at)),
        }

    def milestone(self) -> Milestone:
        """The step, of the attempt's last."""
        attempt = self.attempt
        words = f"rate {attempt.rate:.5f}"
        if attempt.hardening_since:
            noise = plan(self.settings, attempt.hardened(self.step)).noise
            words += f", hardening since step {attempt.hardening_since}, noise {noise:.3f}"
        if attempt.exams:
            words += f", exams sat: {attempt.exams}"
        if attempt.number:
            words += f", attempt {attempt.number + 1}"
        left = 0 if attempt.passed_at else self.settings.retry.retries - attempt.number
        return Milestone(self.step, self.last_step, words, self.last_step - self.step, left)

    def verdict(self) -> dict[str, Any]:
        """Whether an exam was passed, in words and in numbers."""
        attempt = self.attempt
        number = attempt.number + 1
        if not self.settings.exam.inputs:
            exam, words = "none", "the recipe has no exam"
        elif attempt.passed_at:
            exam, words = "passed", f"the exam was passed in attempt {number}, at sitting {attempt.exams}"
        else:
            exam, words = "failed", f"no exam was passed; attempts: {number}"
            if self.best is not None and self.finished:
                words += f"; this is the network of attempt {self.best.attempt + 1}, which came furthest"
        return {"exam": exam, "attempts": number, "exams": attempt.exams, "words": words}

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """All that training needs to go on from here, the average and the best attempt included."""
        tensors, state = super().state()
        if self.average is not None:
            tensors |= {f"average.{name}": tensor for name, tensor in self.average.state_dict().items()}
        tensors |= {f"best.{name}": tensor for name, tensor in self.best_weights.items()}
        return tensors, state

    def restore_tensors(self, tensors: dict[str, Tensor]) -> None:
        """Take over the weights, the moments, the average and the best attempt of a checkpoint."""
        super().restore_tensors(tensors)
        average = part(tensors, "average.")
        self.average = self.new_average() if average else None
        if self.average is not None:
            self.average.load_state_dict(average)
        self.best_weights = part(tensors, "best.")

    def counters(self) -> dict[str, Any]:
        """The attempt, and which was the best so far."""
        return asdict(Counters(self.attempt, self.best))

    def restore_counters(self, counters: dict[str, Any]) -> None:
        """Go on with an attempt, of whose network the weights come later."""
        found = parse(Counters, counters)
        self.attempt, self.best = found.attempt, found.best
        ended = self.best is not None and self.finished and not self.attempt.passed_at
        shown = self.best.attempt if ended and self.best is not None else self.attempt.number
        self.network = network_at(self.config.network, self.settings, shown)
        self.model = self.new_model(0)


def with_lengths_of(settings: StagedSettings, task: Task) -> StagedSettings:
    """The settings with the lengths alone that hold an input of the task."""

    def usable(name: str, lengths: tuple[int, ...]) -> tuple[int, ...]:
        found = tuple(length for length in lengths if task.largest_size(length))
        if not found:
            raise UserError(f"no input of {task.name} fits {name}.lengths, {lengths}; give it longer ones")
        return found

    fit = replace(settings.fit, lengths=usable("fit", settings.fit.lengths))
    return replace(
        settings, fit=fit, harden=replace(settings.harden, lengths=usable("harden", settings.harden.lengths))
    )


def check_model(config: ModelConfig, settings: StagedSettings) -> None:
    """Refuse a model that these settings cannot train, before time is spent on it."""
    if not issubclass(model_class(config), TapeModel):
        raise UserError(f"a model of kind {config.kind} is no tape automaton; this recipe trains those alone")
    if settings.harden.when_exact and settings.harden.gate_noise and not config.takes_noise:
        noise = settings.harden.gate_noise
        raise UserError(
            f"harden.gate_noise is {noise}; a model of kind {config.kind} takes dropout alone, so set it to 0"
        )
