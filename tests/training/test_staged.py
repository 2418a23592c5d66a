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
from neuralgpu.training.attempt import ANNEAL_TO, SHRINK_STEPS, Attempt
from neuralgpu.training.config import TrainConfig
from neuralgpu.training.muon import Muon
from neuralgpu.training.settings import JUDGED_OVER, Exam, Fit, Harden, StagedSettings
from neuralgpu.training.staged import PRUNE_BELOW, Best, StagedTrainer, with_lengths_of
from toy import Three
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
        {"examples.any_slack": 9},
        {"examples.any_size": 1.0},
        {"fit.muon": 0.5},
        {"fit.slow_below_loss": 100.0},
        {"fit.grow_when_exact": 0.5, "fit.lengths": (3, 5, 5, 5, 5, 9)},
        {"tape.zero_fill": False},
        {"steps.extra": 2},
        {"levels": 4},
        {"examples.patterned": 1.0},
        {"examples.any_density": 1.0},
        {"examples.any_lengths": 1.0},
        {"examples.runs": 1.0},
        {"examples.shorter": 1.0},
        {"retry.widen": (2,)},
    ],
    ids=lambda switch: next(iter(switch)),
)
def test_each_technique_can_be_switched(switch: dict[str, Any]) -> None:
    assert not torch.equal(weights_after(3, switch), weights_after(3))


def hardening(changes: dict[str, Any] | None = None, **options: Any) -> StagedTrainer:
    """A trainer whose fitting ends with its first step."""
    learner = staged({"harden.when_exact": 0.9, **(changes or {})}, **options)
    learner.attempt.exacts = [1.0] * JUDGED_OVER
    learner.train_step()
    assert learner.attempt.hardening_since == 1
    return learner


@pytest.mark.parametrize(
    "switch",
    [
        {"harden.lengths": (7,)},
        {"examples.any_slack": 9},
        {"harden.muon": 0.5},
        {"harden.dropout": 0.3},
        {"harden.gate_noise": 0.4},
        {"harden.shrink": 0.5},
        {"harden.steps": 3},
    ],
    ids=lambda switch: next(reversed(switch)),
)
def test_each_technique_of_hardening_can_be_switched(switch: dict[str, Any]) -> None:
    one, other = hardening({"levels": 2, "harden.ramp": 2, **switch}), hardening({"levels": 2, "harden.ramp": 2})
    for learner in (one, other):
        train_to(learner, 4)
    assert not torch.equal(weights(one), weights(other))


def test_tapes_have_the_cells_of_their_length_with_smaller_inputs_and_right_answers_on_them() -> None:
    learner = staged({"tape.slack": 7, "examples.shorter": 0.5, "fit.batch": 64})
    inputs, targets = learner.minibatch(np.random.default_rng(0), 12, (12,))
    assert inputs.shape == (64, 12)
    task = learner.task
    texts = [task.decode(tape) for tape in inputs]
    assert len({len(text) for text in texts}) == 2
    assert [task.read(target) for target in targets] == [task.answer(text) for text in texts]
    assert (targets != PAD).all()


def test_inputs_may_be_of_any_size_down_to_the_length_below_each_on_the_task_s_own_tape() -> None:
    learner = staged({"examples.any_size": 1.0}, task="duplicate")
    rng = np.random.default_rng(0)
    drawn = [learner.minibatch(rng, 12, (4, 12)) for _ in range(60)]
    assert {inputs.shape[1] for inputs, _ in drawn} == {6, 8, 10, 12}
    assert all((targets != PAD).all() for _, targets in drawn)  # the answer fills its tape


def test_without_other_sizes_every_input_has_the_largest_of_its_length() -> None:
    learner = staged({"examples.any_size": 1e-9}, task="duplicate")
    assert learner.minibatch(np.random.default_rng(0), 13, (4, 13)).inputs.shape[1] == 12


def test_a_network_with_more_steps_than_cells_makes_any_number_between_the_two() -> None:
    learner, rng = staged({"steps.per_cell": 1.5, "steps.extra": 1}), np.random.default_rng(0)
    assert {learner.steps(rng, 4) for _ in range(200)} == {4, 5, 6, 7}
    assert {staged().steps(rng, 4) for _ in range(20)} == {4}


def test_lengths_that_hold_no_input_are_left_out() -> None:
    assert staged({"fit.lengths": (3, 5), "harden.lengths": (3, 5)}, task="badd").settings.fit.lengths == (3, 5)
    big = get_task("badd").on(Tape())
    big._own_tape = Tape(extra=2)
    found = with_lengths_of(StagedSettings(fit=Fit(lengths=(3, 4, 5, 9))), big)
    assert found.fit.lengths == (5, 9)


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
    lengths = (3, 3, 3, 3, 3, 4, 5)
    learner = staged({"fit.lengths": lengths, "fit.grow_when_exact": 0.5, "fit.learning_rate": 0.01}, task="copy")
    assert learner.attempt.lengths == 5
    train_to(learner, 120)
    assert learner.attempt.lengths > 5
    learner.end_attempt()
    assert learner.attempt.lengths > 5  # the last attempt is not followed by another
    learner.begin(1, seed=1)
    assert learner.attempt.lengths == 5


def test_the_running_loss_follows_the_losses() -> None:
    learner = staged()
    loss = learner.train_step().loss
    assert learner.attempt.running_loss == pytest.approx(1 + 0.04 * (loss - 1))


@pytest.mark.parametrize("muon", [0.0, 0.5])
def test_a_neural_gpu_can_be_trained_in_stages_too(muon: float) -> None:
    settings = StagedSettings(
        fit=Fit(lengths=(5,), batch=2, muon=muon),
        harden=Harden(when_exact=0.9, steps=3, lengths=(5,), muon=muon, dropout=0.1),
        exam=Exam(inputs=1, every=2),
    )
    model = NeuralGPUConfig(layers=1, width=1, maps=8)
    task = get_task("copy")
    network = NetworkConfig(task.name, task.alphabet, Tape(), Steps(), model)
    learner = StagedTrainer(TrainConfig(network, "paper", 0, settings, threads=1), task, settings)
    before = weights(learner)
    learner.attempt.exacts = [1.0] * JUDGED_OVER
    train_to_the_end(learner)
    assert isinstance(learner.model, NeuralGPU)
    assert (learner.step, learner.attempt.exams) == (4, 2)
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
    growing = {"fit.grow_when_exact": 0.9, "fit.lengths": (5, 5, 5, 5, 5, 9)}
    learner = staged({"harden.when_exact": 0.9, **growing})
    learner.attempt.exacts = [1.0] * JUDGED_OVER
    learner.train_step()
    assert learner.attempt.hardening_since == 0
    learner.attempt.lengths = 6
    learner.train_step()
    assert learner.attempt.hardening_since == 2


def test_without_hardening_training_ends_at_the_last_step_of_fitting() -> None:
    learner = staged({"fit.steps": 2})
    train_to_the_end(learner)
    assert (learner.attempt.hardening_since, learner.step) == (0, 2)


def test_the_rate_falls_in_the_last_third_of_hardening() -> None:
    learner = hardening({"harden.steps": 6})
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
    "fit.steps": 400,
    "harden.when_exact": 0.9,
    "harden.lengths": (3,),
}
"""With these a network copies three symbols after about a hundred steps of a millisecond."""


# What hardening does to weights


def test_weights_shrink_in_the_first_steps_of_hardening_and_what_is_pruned_then_stays_zero(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert (PRUNE_BELOW, SHRINK_STEPS) == (0.01, 900)
    monkeypatch.setattr("neuralgpu.training.staged.PRUNE_BELOW", 0.05)  # three steps do not shrink weights further
    monkeypatch.setattr("neuralgpu.training.attempt.SHRINK_STEPS", 3)
    learner = hardening({"harden.steps": 8, "harden.shrink": 1.0})
    kept = []
    while not learner.finished:
        learner.train_step()
        kept.append(kernels(learner) != 0)
    shares = [mask.float().mean().item() for mask in kept]
    assert 1 > shares[0] > shares[1] > 0.9 > shares[2]
    assert all(torch.equal(mask, kept[2]) for mask in kept[3:])


def test_hardening_ends_with_the_average_of_the_weights_since_rounding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("neuralgpu.training.attempt.ROUND_AFTER", 3)
    monkeypatch.setattr("neuralgpu.training.staged.AVERAGE", 0.75)
    learner = hardening({"levels": 2, "harden.steps": 7, "harden.shrink": 1e-6})
    train_to(learner, 3)
    assert learner.average is None
    mean = torch.empty(0)
    while learner.step < 7:
        learner.train_step()
        mean = torch.lerp(mean, kernels(learner), 0.25) if learner.step > 4 else kernels(learner)
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
    learner = hardening({"fit.muon": fitting, "harden.muon": 0.15})
    assert isinstance(learner.optimizer, Muon)
    assert learner.optimizer.share == pytest.approx(0.15)


def test_hardening_has_adamax_and_a_further_attempt_muon_again() -> None:
    learner = hardening(MUON)
    assert type(learner.optimizer) is ClippedAdaMax
    learner.begin(1, seed=1)
    assert isinstance(learner.optimizer, Muon)


# Attempts


def test_training_starts_again_from_other_weights_where_hardening_goes_badly() -> None:
    changes = {"harden.steps": 110, "harden.lengths": (5,), "fit.lengths": (5,), "fit.steps": 50}
    learner = hardening({**changes, "retry.retries": 1, "retry.give_up": ((100, 1.0),)})
    train_to(learner, 100)
    before = weights(learner)
    learner.train_step()
    assert learner.attempt == Attempt(rate=RATE, number=1, began=101)
    assert learner.last_step == 101 + 50
    assert not learner.optimizer.state
    for other in (before, weights(staged())):
        assert not torch.equal(weights(learner), other)


def test_the_last_attempt_is_not_given_up() -> None:
    learner = hardening({"harden.steps": 110, "fit.lengths": (5,), "retry.give_up": ((100, 1.0),)})
    train_to_the_end(learner)
    assert (learner.attempt.number, learner.step) == (0, 111)


def test_training_does_not_start_again_where_hardening_goes_well() -> None:
    going_well = {"harden.steps": 120, "retry.retries": 1, "retry.give_up": ((100, 0.5),)}
    learner = staged({**LEARNABLE, **going_well}, task="copy")
    train_to_the_end(learner)
    assert learner.attempt.number == 0


def test_an_attempt_that_does_not_fit_is_followed_by_another_with_a_network_of_its_own() -> None:
    ladder = {"retry.retries": 2, "retry.widen": (1, 2), "retry.standing": (True, True, False), "steps.extra": 3}
    learner = staged({"fit.steps": 2, "harden.when_exact": 0.9, "exam.inputs": 5, **ladder})
    seen = []
    while not learner.finished:
        seen.append((learner.attempt.number, learner.model.maps, learner.network.steps.extra))
        learner.train_step()
    assert seen == [(0, 24, 3)] * 2 + [(1, 48, 3)] * 2 + [(2, 24, 0)] * 2
    assert learner.best is not None
    assert learner.model.maps == (48 if learner.best.attempt == 1 else 24)
    assert learner.verdict()["words"].startswith("no exam was passed; attempts: 3; this is the network of attempt ")


def test_the_attempt_that_came_furthest_is_kept() -> None:
    learner = staged({"fit.steps": 2, "harden.when_exact": 0.9, "exam.inputs": 5, "retry.retries": 1})
    kept = weights(learner)
    learner.best = Best(3.0, 0)
    learner.best_weights = {name: tensor.clone() for name, tensor in learner.model.state_dict().items()}
    train_to_the_end(learner)
    assert learner.attempt.number == 1
    assert torch.equal(weights(learner), kept)


def test_the_same_seed_starts_again_from_the_same_weights() -> None:
    ending = {"fit.steps": 1, "harden.when_exact": 0.9, "retry.retries": 1}
    first, second, other = staged(ending), staged(ending), staged(ending, seed=1)
    for learner in (first, second, other):
        learner.train_step()
        assert learner.attempt.number == 1
    assert torch.equal(weights(first), weights(second))
    assert not torch.equal(weights(first), weights(other))


# Exams


FAILING: dict[str, Any] = {"harden.when_exact": 0.9, "harden.steps": 2, "exam.inputs": 5, "retry.retries": 1}
"""A network of three steps fails every exam."""


EXAMINED: dict[str, Any] = {**LEARNABLE, "harden.steps": 40, "exam.inputs": 8, "retry.retries": 1}
"""A network that copies three symbols passes an exam of three."""


def examined(changes: dict[str, Any] | None = None) -> StagedTrainer:
    learner = staged({**EXAMINED, **(changes or {})}, task="copy")
    learner.task = Three().on(learner.task.tape)
    return learner


def test_training_starts_again_where_the_exam_at_its_end_is_failed_but_for_the_last_attempt() -> None:
    learner = hardening({**FAILING, "fit.steps": 4})
    train_to(learner, 3)
    assert (learner.attempt.number, learner.finished) == (1, False)
    train_to_the_end(learner)
    assert (learner.attempt.number, learner.step, learner.attempt.passed_at) == (1, 3 + 4, 0)


def test_training_ends_with_the_exam_at_its_end_where_it_is_passed() -> None:
    learner = examined()
    train_to_the_end(learner)
    attempt = learner.attempt
    assert (attempt.number, attempt.exams, attempt.passed_at) == (0, 1, learner.step)
    assert learner.step == attempt.hardening_since + 40


def test_training_ends_where_the_average_passes_an_exam_on_the_way() -> None:
    learner = examined({"exam.every": 10})
    train_to_the_end(learner)
    assert learner.attempt.hardened(learner.step) in (10, 20)
    assert learner.attempt.passed_at == learner.step
    assert torch.equal(kernels(learner), average_kernels(learner))


ON_THE_WAY: dict[str, Any] = {"harden.steps": 8, "exam.inputs": 1}


def test_an_exam_that_is_failed_on_the_way_changes_nothing() -> None:
    one, other = hardening({**ON_THE_WAY, "exam.every": 3}), hardening(ON_THE_WAY)
    for learner in (one, other):
        train_to(learner, 8)
    assert (one.attempt.exams, other.attempt.exams) == (2, 0)
    assert torch.equal(weights(one), weights(other))
    assert torch.equal(average_kernels(one), average_kernels(other))


def test_no_exam_is_sat_before_weights_are_pruned_and_averaged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("neuralgpu.training.attempt.SHRINK_STEPS", 3)
    monkeypatch.setattr("neuralgpu.training.attempt.ROUND_AFTER", 5)
    learner = hardening({**ON_THE_WAY, "exam.every": 1, "harden.shrink": 0.1})
    train_to(learner, 5)  # four steps of hardening
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
    learner = examined()
    learner.begin(1, seed=1)
    train_to_the_end(learner)
    assert learner.verdict()["words"] == "the exam was passed in attempt 2, at sitting 1"
    assert (learner.gauges()["attempt"], learner.gauges()["exam_passed"]) == (2, 1)


def test_time_left_counts_this_attempt_and_names_those_that_may_follow() -> None:
    learner = hardening({**FAILING, "retry.retries": 3})
    far = learner.milestone()
    assert (far.steps_left, far.attempts_left) == (2, 3)
    learner.attempt.passed_at = 1
    assert (learner.milestone().steps_left, learner.milestone().attempts_left) == (0, 0)


def test_the_milestone_tells_of_hardening_exams_and_attempts() -> None:
    learner = staged({**FAILING, "harden.gate_noise": 0.4})
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
        (MUON, 2),
        ({"fit.grow_when_exact": 0.5, "fit.slow_below_loss": 2.0, "fit.lengths": (5, 5, 5, 5, 5, 9)}, 3),
        ({"fit.steps": 3, "harden.when_exact": 0.9, "retry.retries": 1, "retry.widen": (1, 2)}, 4),
    ],
    ids=["fitting", "muon", "growing", "second-attempt"],
)
def test_a_restored_trainer_goes_on_with_the_same_bits(changes: dict[str, Any], cut: int) -> None:
    first, second = staged(changes), staged(changes)
    train_to(first, cut)
    goes_on_alike(first, second)


@pytest.mark.parametrize(
    "changes",
    [{}, {**MUON, "harden.steps": 7}, {"harden.muon": 0.5, "harden.steps": 5}],
    ids=["average", "muon-fitting", "muon-hardening"],
)
def test_a_trainer_restored_in_hardening_goes_on_with_the_same_bits(changes: dict[str, Any]) -> None:
    first, second = hardening(changes), staged({"harden.when_exact": 0.9, **changes})
    train_to(first, 4)
    goes_on_alike(first, second)


def goes_on_alike(first: StagedTrainer, second: StagedTrainer) -> None:
    second.restore(*copy.deepcopy(first.state()))
    assert (second.step, second.attempt, second.network) == (first.step, first.attempt, first.network)
    assert type(second.optimizer) is type(first.optimizer)
    for _ in range(2):
        assert first.train_step() == second.train_step()
    assert torch.equal(weights(first), weights(second))
    assert (first.average is None) == (second.average is None)
    if first.average is not None:
        assert torch.equal(average_kernels(first), average_kernels(second))


def test_a_training_that_ended_with_an_earlier_attempt_is_restored_as_that() -> None:
    changes = {"fit.steps": 2, "harden.when_exact": 0.9, "exam.inputs": 5, "retry.retries": 1, "retry.widen": (1, 2)}
    first, second = staged(changes), staged(changes)
    first.best = Best(3.0, 0)
    first.best_weights = {name: tensor.clone() for name, tensor in first.model.state_dict().items()}
    train_to_the_end(first)
    second.restore(*copy.deepcopy(first.state()))
    assert (second.finished, second.model.maps, second.network) == (True, 24, first.network)
    assert torch.equal(weights(first), weights(second))
