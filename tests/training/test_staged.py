"""Training in stages, with steps that are really run: attempts, hardening, the average, exams and retries."""

import copy
from typing import Any

import numpy as np
import pytest
import torch

from neuralgpu.models.config import NeuralGPUConfig
from neuralgpu.models.neural_gpu import NeuralGPU
from neuralgpu.models.steps import Steps
from neuralgpu.runs.config import NetworkConfig
from neuralgpu.tasks import PAD, Tape, get_task
from neuralgpu.training.adamax import ClippedAdaMax
from neuralgpu.training.attempt import ANNEAL_TO, Attempt
from neuralgpu.training.config import TrainConfig
from neuralgpu.training.muon import Muon
from neuralgpu.training.settings import JUDGED_OVER, Exam, Fit, Harden, StagedSettings
from neuralgpu.training.staged import PRUNE_BELOW, StagedTrainer
from trainers import staged, train_to, train_to_the_end, weights

RATE = staged().settings.fit.learning_rate


def kernels(learner: StagedTrainer) -> torch.Tensor:
    """Those of its network."""
    U = learner.model.U
    assert isinstance(U, torch.Tensor)
    return U.detach().clone()


def average_kernels(learner: StagedTrainer) -> torch.Tensor:
    """Those of the average of its weights."""
    assert learner.average is not None
    U = learner.average.module.U
    assert isinstance(U, torch.Tensor)
    return U.detach().clone()


# Steps


def weights_after(steps: int, changes: dict[str, Any] | None = None, **options: Any) -> torch.Tensor:
    learner = staged(changes, **options)
    train_to(learner, steps)
    return weights(learner)


def test_the_seed_decides_the_weights() -> None:
    assert torch.equal(weights_after(2), weights_after(2))
    assert not torch.equal(weights_after(2), weights_after(2, seed=1))


@pytest.mark.parametrize(
    "switch",
    [
        {"fit.dropout": 0.0},
        {"fit.slack": 2},
        {"fit.any_slack": 9},
        {"fit.muon": 0.5},
        {"fit.slow_below_loss": 100.0},
        {"fit.grow_when_exact": 0.5, "fit.first_lengths": 1},
        {"tape.zero_fill": False},
        {"steps.extra": 2},
        {"levels": 4},
        {"examples.patterned": 1.0},
        {"examples.any_density": 1.0},
        {"examples.any_lengths": 1.0},
        {"examples.runs": 1.0},
        {"examples.shorter": 1.0},
        {"harden.when_exact": 1.0, "harden.steps": 2, "attempt_steps": 3},
    ],
    ids=lambda switch: next(iter(switch)),
)
def test_each_technique_can_be_switched(switch: dict[str, Any]) -> None:
    assert not torch.equal(weights_after(3, switch), weights_after(3))


HARDENED: dict[str, Any] = {"harden.when_exact": 1.0, "attempt_steps": 3, "harden.steps": 2}
"""One step of fitting and two of hardening."""


@pytest.mark.parametrize(
    "switch",
    [
        {"harden.lengths": (7,)},
        {"harden.slack": 2},
        {"harden.any_slack": 9},
        {"harden.muon": 0.5},
        {"harden.dropout": 0.0},
        {"harden.dropout_ramp": 10},
        {"harden.gate_noise": 0.0},
        {"harden.shrink": 0.5},
        {"harden.round_after": 0},
        {"harden.anneal_steps": 2},
        {"harden.round_after": 1, "harden.average": 0.5},
    ],
    ids=lambda switch: next(reversed(switch)),
)
def test_each_technique_of_hardening_can_be_switched(switch: dict[str, Any]) -> None:
    usual = {**HARDENED, "levels": 2}
    assert not torch.equal(weights_after(3, {**usual, **switch}), weights_after(3, usual))


def test_tapes_have_the_cells_asked_for_with_smaller_inputs_and_right_answers_on_them() -> None:
    learner = staged({"tape.slack": 7, "examples.shorter": 0.5, "fit.batch": 64})
    inputs, targets = learner.minibatch(np.random.default_rng(0), length=9, cells=12)
    assert inputs.shape == (64, 12)
    task = learner.task
    texts = [task.decode(tape) for tape in inputs]
    assert len({len(text) for text in texts}) == 2
    assert [task.read(target) for target in targets] == [task.answer(text) for text in texts]
    assert (targets != PAD).all()


def test_a_rate_that_fell_is_the_optimiser_s_in_the_next_step() -> None:
    learner = staged()
    learner.attempt.rate = RATE / 2
    learner.train_step()
    assert learner.optimizer.param_groups[0]["lr"] == learner.learning_rate == RATE / 2


def test_a_block_of_fitting_ends_after_200_steps() -> None:
    learner = staged({"fit.lengths": (3,), "fit.batch": 1})
    train_to(learner, 199)
    assert (len(learner.attempt.losses), learner.attempt.block_losses) == (199, [])
    learner.train_step()
    assert (len(learner.attempt.losses), len(learner.attempt.block_losses)) == (0, 1)


def test_lengths_grow_while_a_training_learns_and_a_further_attempt_begins_with_the_first_again() -> None:
    growing = {"fit.lengths": (3, 4, 5), "fit.grow_when_exact": 0.5, "fit.first_lengths": 1, "fit.learning_rate": 0.01}
    learner = staged(growing, task="copy")
    assert learner.attempt.lengths == 1
    train_to(learner, 120)
    assert learner.attempt.lengths > 1
    learner.start_again()
    assert learner.attempt.lengths == 1


def test_the_running_loss_follows_the_losses() -> None:
    learner = staged()
    loss = learner.train_step().loss
    assert learner.attempt.running_loss == pytest.approx(1 + 0.04 * (loss - 1))


@pytest.mark.parametrize("muon", [0.0, 0.5])
def test_a_neural_gpu_can_be_trained_in_stages_too(muon: float) -> None:
    settings = StagedSettings(
        attempt_steps=4,
        fit=Fit(lengths=(5,), batch=2, muon=muon),
        harden=Harden(
            when_exact=1.0,
            steps=3,
            lengths=(5,),
            muon=muon,
            gate_noise=0.0,
            shrink=0.1,
            shrink_steps=1,
            round_after=0,
            average=0.5,
        ),
        exam=Exam(inputs=1, length=5, every=2),
    )
    model = NeuralGPUConfig(layers=1, width=1, maps=8)
    task = get_task("copy")
    network = NetworkConfig(task.name, task.alphabet, Tape(), Steps(), model)
    learner = StagedTrainer(TrainConfig(network, "paper", 0, settings, threads=1), task, settings)
    before = weights(learner)
    train_to_the_end(learner)
    assert isinstance(learner.model, NeuralGPU)
    assert learner.attempt.exams == 2
    assert not torch.equal(weights(learner), before)


# When hardening begins and ends


def test_hardening_begins_when_the_outputs_of_a_hundred_steps_are_exact() -> None:
    learner = staged({"harden.when_exact": 0.9})
    learner.attempt.exacts = [1.0] * (JUDGED_OVER - 2)
    learner.train_step()
    assert learner.attempt.hardening_since == 0
    learner.train_step()
    assert (learner.attempt.hardening_since, learner.attempt.saturation, learner.attempt.exacts) == (2, 0, [])


def test_hardening_waits_until_all_lengths_are_trained() -> None:
    learner = staged({"harden.when_exact": 0.9, "fit.grow_when_exact": 0.9, "fit.first_lengths": 1})
    learner.attempt.exacts = [1.0] * JUDGED_OVER
    learner.train_step()
    assert learner.attempt.hardening_since == 0
    learner.attempt.lengths = 2
    learner.train_step()
    assert learner.attempt.hardening_since == 2


def test_hardening_begins_in_time_for_the_last_step() -> None:
    learner = staged({"harden.when_exact": 1.0, "harden.steps": 3, "attempt_steps": 7})
    train_to_the_end(learner)
    assert (learner.attempt.hardening_since, learner.step) == (4, 7)


def test_hardening_begins_at_once_where_there_are_too_few_steps_for_it() -> None:
    learner = staged({"harden.when_exact": 1.0, "harden.steps": 30, "attempt_steps": 3})
    train_to_the_end(learner)
    assert (learner.attempt.hardening_since, learner.step) == (1, 3)


def test_without_hardening_training_ends_at_the_last_step() -> None:
    learner = staged({"attempt_steps": 2})
    train_to_the_end(learner)
    assert (learner.attempt.hardening_since, learner.step) == (0, 2)


def test_the_rate_falls_in_the_last_steps_of_hardening() -> None:
    learner = staged({"harden.when_exact": 1.0, "harden.steps": 5, "harden.anneal_steps": 2, "attempt_steps": 6})
    rates = []
    while not learner.finished:
        learner.train_step()
        rates.append(learner.learning_rate / RATE)
    assert rates == pytest.approx([1, 1, 1, 1, ANNEAL_TO**0.5, ANNEAL_TO])


LEARNABLE: dict[str, Any] = {
    "fit.lengths": (3,),
    "fit.batch": 8,
    "fit.learning_rate": 0.01,
    "fit.dropout": 0.0,
    "harden.when_exact": 0.9,
    "harden.lengths": (3,),
    "harden.dropout": 0.0,
    "harden.anneal_steps": 20,
    "attempt_steps": 400,
}
"""With these a network copies three symbols after about a hundred steps of a millisecond."""


def test_hardening_ends_sooner_once_nearly_all_outputs_of_rounded_states_are_exact() -> None:
    settling = {**LEARNABLE, "harden.steps": 300, "harden.round_after": 10, "harden.settle_when_exact": 0.9}
    learner = staged(settling, task="copy")
    train_to_the_end(learner)
    attempt = learner.attempt
    assert attempt.hardened(attempt.settled_since) >= 10 + JUDGED_OVER - 1  # a hundred steps with rounded states
    assert learner.step == attempt.settled_since + 20 < attempt.hardening_since + 300
    assert learner.learning_rate == pytest.approx(0.01 * ANNEAL_TO)


# What hardening does to weights


def test_weights_shrink_in_the_first_steps_of_hardening_and_what_is_pruned_then_stays_zero(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert PRUNE_BELOW == 0.01
    monkeypatch.setattr("neuralgpu.training.staged.PRUNE_BELOW", 0.05)  # three steps do not shrink weights further
    changes = {"attempt_steps": 9, "harden.steps": 8, "harden.shrink": 1.0, "harden.shrink_steps": 3}
    learner = staged({"harden.when_exact": 1.0, **changes})
    kept = []
    while not learner.finished:
        learner.train_step()
        kept.append(kernels(learner) != 0)
    shares = [mask.float().mean().item() for mask in kept]
    assert shares[0] == 1
    assert 1 > shares[2] > 0.9 > shares[3]
    assert all(torch.equal(mask, kept[3]) for mask in kept[4:])


AVERAGED: dict[str, Any] = {
    "levels": 2,
    "harden.when_exact": 1.0,
    "attempt_steps": 9,
    "harden.steps": 7,
    "harden.round_after": 3,
    "harden.average": 0.75,
}
"""Hardening begins after step 2, rounding at step 5, and training ends at step 9."""


def test_hardening_ends_with_the_average_of_the_weights_since_rounding() -> None:
    learner = staged(AVERAGED)
    train_to(learner, 4)
    assert learner.average is None
    mean = torch.empty(0)
    while learner.step < 8:
        learner.train_step()
        mean = torch.lerp(mean, kernels(learner), 0.25) if learner.step > 5 else kernels(learner)
    assert torch.equal(average_kernels(learner), mean)
    learner.train_step()
    assert learner.finished
    assert torch.equal(kernels(learner), average_kernels(learner))
    assert not torch.equal(kernels(learner), mean)


# Muon


MUON: dict[str, Any] = {"fit.muon": 0.5, "fit.slow_when_exact": 0.75, "harden.when_exact": 0.9}


@pytest.mark.parametrize(("exact", "share"), [(0.7, 0.5), (0.8, 0.5 * 0.4)])
def test_kernels_move_less_once_most_outputs_are_exact(exact: float, share: float) -> None:
    learner = staged(MUON)
    learner.attempt.exacts = [exact] * JUDGED_OVER
    train_to(learner, 2)
    assert isinstance(learner.optimizer, Muon)
    assert learner.optimizer.share == pytest.approx(share)


@pytest.mark.parametrize("fitting", [0.0, 0.5])
def test_hardening_may_have_muon_steps_of_its_own(fitting: float) -> None:
    learner = staged({"fit.muon": fitting, "harden.muon": 0.15, **HARDENED})
    learner.train_step()
    assert isinstance(learner.optimizer, Muon)
    assert learner.optimizer.share == pytest.approx(0.15)


def test_hardening_has_adamax_and_a_further_attempt_muon_again() -> None:
    learner = staged({**MUON, "attempt_steps": 2, "harden.steps": 1})
    learner.train_step()
    assert learner.attempt.hardening_since == 1
    assert type(learner.optimizer) is ClippedAdaMax
    learner.start_again()
    assert isinstance(learner.optimizer, Muon)


# Retries


def test_training_starts_again_from_other_weights_where_hardening_goes_badly() -> None:
    changes = {"harden.when_exact": 1.0, "harden.steps": 110, "attempt_steps": 111, "harden.lengths": (5,)}
    learner = staged({**changes, "fit.lengths": (5,), "retry.retries": 1, "retry.give_up": ((100, 1.0),)})
    train_to(learner, 100)
    before = weights(learner)
    learner.train_step()
    assert learner.attempt == Attempt(rate=RATE, number=1, began=101)
    assert learner.last_step == 101 + 111
    assert not learner.optimizer.state
    for other in (before, weights(staged())):
        assert not torch.equal(weights(learner), other)
    train_to_the_end(learner)  # the last attempt is not given up
    assert (learner.attempt.number, learner.step) == (1, 101 + 111)


def test_training_does_not_start_again_where_hardening_goes_well() -> None:
    learner = staged(
        {**LEARNABLE, "harden.steps": 120, "retry.retries": 1, "retry.give_up": ((100, 0.5),)}, task="copy"
    )
    train_to_the_end(learner)
    assert learner.attempt.number == 0


def test_the_same_seed_starts_again_from_the_same_weights() -> None:
    first, second, other = staged(), staged(), staged(seed=1)
    for learner in (first, second, other):
        learner.start_again()
    assert torch.equal(weights(first), weights(second))
    assert not torch.equal(weights(first), weights(other))


# Exams


FAILING: dict[str, Any] = {
    "harden.when_exact": 1.0,
    "harden.steps": 2,
    "attempt_steps": 3,
    "exam.inputs": 5,
    "retry.retries": 1,
}
"""A network of three steps fails every exam."""

EXAMINED: dict[str, Any] = {
    **LEARNABLE,
    "harden.steps": 40,
    "harden.round_after": 0,
    "harden.average": 0.9,
    "harden.shrink": 0.001,
    "harden.shrink_steps": 2,
    "exam.inputs": 8,
    "exam.length": 3,
    "retry.retries": 1,
}
"""A network that copies three symbols passes an exam of three."""


def test_training_starts_again_where_the_exam_at_its_end_is_failed_but_for_the_last_attempt() -> None:
    learner = staged(FAILING)
    train_to(learner, 3)
    assert (learner.attempt.number, learner.finished) == (1, False)
    train_to_the_end(learner)
    assert (learner.attempt.number, learner.step, learner.attempt.passed_at) == (1, 6, 0)


def test_training_ends_with_the_exam_at_its_end_where_it_is_passed() -> None:
    learner = staged(EXAMINED, task="copy")
    train_to_the_end(learner)
    attempt = learner.attempt
    assert (attempt.number, attempt.exams, attempt.passed_at) == (0, 1, learner.step)
    assert learner.step == attempt.hardening_since + 40


def test_training_ends_where_the_average_passes_an_exam_on_the_way() -> None:
    learner = staged({**EXAMINED, "exam.every": 10}, task="copy")
    train_to_the_end(learner)
    assert learner.attempt.hardened(learner.step) == 10
    assert learner.attempt.passed_at == learner.step
    assert torch.equal(kernels(learner), average_kernels(learner))


ON_THE_WAY: dict[str, Any] = {
    "harden.when_exact": 1.0,
    "harden.steps": 8,
    "attempt_steps": 9,
    "harden.round_after": 0,
    "harden.average": 0.9,
    "harden.shrink": 0.1,
    "harden.shrink_steps": 1,
    "exam.inputs": 1,
}


def test_an_exam_that_is_failed_on_the_way_changes_nothing() -> None:
    examined, other = staged({**ON_THE_WAY, "exam.every": 3}), staged(ON_THE_WAY)
    for learner in (examined, other):
        train_to(learner, 8)
    assert (examined.attempt.exams, other.attempt.exams) == (2, 0)
    assert torch.equal(weights(examined), weights(other))
    assert torch.equal(average_kernels(examined), average_kernels(other))


def test_exams_are_sat_from_the_start_of_the_average_where_nothing_is_pruned() -> None:
    learner = staged({**ON_THE_WAY, "exam.every": 1, "harden.shrink": 0.0, "harden.round_after": 2})
    train_to(learner, 2)  # one step of hardening
    assert learner.attempt.exams == 0
    learner.train_step()
    assert learner.attempt.exams == 1


def test_no_exam_is_sat_before_weights_are_pruned() -> None:
    learner = staged({**ON_THE_WAY, "exam.every": 1, "harden.shrink_steps": 5})
    train_to(learner, 6)  # five steps of hardening
    assert learner.attempt.exams == 0
    learner.train_step()
    assert learner.attempt.exams == 1


# What a run says of itself


@pytest.mark.parametrize(
    ("state", "exam", "words"),
    [
        ({}, "failed", "no exam was passed; attempts: 1"),
        ({"number": 1, "exams": 3}, "failed", "no exam was passed; attempts: 2"),
        ({"exams": 1, "passed_at": 9}, "passed", "the exam was passed in attempt 1, at sitting 1"),
        ({"number": 2, "exams": 4, "passed_at": 9}, "passed", "the exam was passed in attempt 3, at sitting 4"),
    ],
)
def test_the_verdict_says_whether_an_exam_was_passed_and_in_which_attempt(
    state: dict[str, Any], exam: str, words: str
) -> None:
    learner = staged(FAILING)
    learner.attempt = Attempt(rate=RATE, **state)
    verdict = learner.verdict()
    assert (verdict["exam"], verdict["words"]) == (exam, words)
    assert (verdict["attempts"], verdict["exams"]) == (state.get("number", 0) + 1, state.get("exams", 0))


def test_a_recipe_without_an_exam_says_so() -> None:
    assert staged().verdict()["words"] == "the recipe has no exam"


def test_a_second_attempt_that_passes_says_that_it_was_the_second() -> None:
    learner = staged(EXAMINED, task="copy")
    learner.start_again()
    train_to_the_end(learner)
    assert learner.verdict()["words"] == "the exam was passed in attempt 2, at sitting 1"
    assert (learner.gauges()["attempt"], learner.gauges()["exam_passed"]) == (2, 1)


def test_time_left_counts_this_attempt_and_names_those_that_may_follow() -> None:
    learner = staged({**FAILING, "retry.retries": 3})
    learner.train_step()
    far = learner.milestone()
    assert (far.steps_left, far.attempts_left) == (2, 3)
    learner.attempt.passed_at = 1
    assert (learner.milestone().steps_left, learner.milestone().attempts_left) == (0, 0)


def test_the_milestone_tells_of_hardening_exams_and_attempts() -> None:
    learner = staged(FAILING)
    assert learner.milestone().words == "rate 0.00500"
    learner.attempt = Attempt(rate=RATE, number=1, hardening_since=7, exams=2)
    learner.step = 157
    words = "rate 0.00500, hardening since step 7, noise 0.200, exams sat: 2, attempt 2"
    assert learner.milestone().words == words


# Checkpoints


@pytest.mark.parametrize(
    ("changes", "cut"),
    [
        ({}, 3),
        (AVERAGED, 7),
        (MUON, 2),
        ({**MUON, "attempt_steps": 9, "harden.steps": 7}, 4),
        (FAILING, 4),
        ({**HARDENED, "attempt_steps": 6, "harden.steps": 5, "harden.muon": 0.5}, 3),
        ({"fit.grow_when_exact": 0.5, "fit.first_lengths": 1, "fit.slow_below_loss": 2.0}, 3),
    ],
    ids=["fitting", "average", "muon", "muon-hardening", "second-attempt", "muon-in-hardening-alone", "growing"],
)
def test_a_restored_trainer_goes_on_with_the_same_bits(changes: dict[str, Any], cut: int) -> None:
    first, second = staged(changes), staged(changes)
    train_to(first, cut)
    second.restore(*copy.deepcopy(first.state()))
    assert (second.step, second.attempt) == (first.step, first.attempt)
    assert type(second.optimizer) is type(first.optimizer)
    for _ in range(2):
        assert first.train_step() == second.train_step()
    assert torch.equal(weights(first), weights(second))
