"""When training starts again from other weights, and when it goes on to a further network."""

import copy
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from diagonal import SMALL, run_steps, train_to, trainer
from neuralgpu.errors import UserError
from neuralgpu.models.config import DiagonalConfig
from neuralgpu.training.diagonal import DiagonalTrainer

RETRYING: dict[str, Any] = {
    "harden_at": 0.9,
    "harden_steps": 400,
    "max_steps": 600,
    "retries": 1,
    "retry_steps": (150,),
}


def test_training_starts_again_from_other_weights_where_hardening_goes_badly() -> None:
    learner = trainer(**RETRYING, retry_below=(0.6,))
    learner.train_step()
    run_steps(learner, 99, exact=1.0)
    assert learner.hardening_since == 100
    run_steps(learner, 149, exact=0.59)
    learner.set_learning_rate(0.001)
    before = {name: weight.clone() for name, weight in learner.model.state_dict().items()}
    run_steps(learner, 1, exact=0.59)
    assert (learner.retried, learner.hardening_since, learner.last_step) == (1, 0, 250 + 600)
    assert (learner.learning_rate, learner.saturation) == (SMALL.learning_rate, SMALL.saturation)
    assert not learner.optimizer.state
    for other in (before, trainer().model.state_dict()):
        assert not torch.equal(learner.model.U, other["U"])
    run_steps(learner, 100, exact=1.0)
    run_steps(learner, 150, exact=0.0)
    assert (learner.retried, learner.hardening_since) == (1, 350)  # the last retry is not given up


def test_training_does_not_start_again_where_hardening_goes_well() -> None:
    learner = trainer(**RETRYING, retry_below=(0.6,))
    run_steps(learner, 100, exact=1.0)
    run_steps(learner, 50, exact=0.0)
    run_steps(learner, 100, exact=0.6)
    assert (learner.retried, learner.hardening_since) == (0, 100)


EXAMINED: dict[str, Any] = {"harden_at": 0.9, "harden_steps": 200, "retries": 1, "exam": 250, "harden_lengths": (5,)}


def run_to_the_exam(learner: DiagonalTrainer) -> None:
    run_steps(learner, 100, exact=1.0)
    run_steps(learner, 200, exact=0.5)


def test_training_starts_again_where_the_result_fails_its_exam_but_for_the_last_retry() -> None:
    learner = trainer(**EXAMINED)
    run_to_the_exam(learner)
    assert (learner.retried, learner.hardening_since, learner.finished) == (1, 0, False)
    run_to_the_exam(learner)
    assert (learner.retried, learner.finished) == (1, True)


def test_training_ends_where_the_result_passes_its_exam() -> None:
    learner = trainer(**EXAMINED, exam_errors=250)
    run_to_the_exam(learner)
    assert (learner.retried, learner.finished) == (0, True)


ON_THE_WAY: dict[str, Any] = {
    "harden_at": 0.9,
    "harden_steps": 8,
    "max_steps": 12,
    "anneal_steps": 2,
    "round_after": 0,
    "average": 0.9,
    "shrink": 0.1,
    "shrink_steps": 1,
    "exam": 1,
    "exam_every": 3,
}


def test_training_ends_where_the_average_passes_an_exam_on_the_way() -> None:
    learner = trainer(**ON_THE_WAY, exam_errors=1)
    while not learner.finished:
        learner.train_step()
    assert (learner.hardened_steps, learner.passed_at, learner.retried) == (3, learner.step, 0)
    assert torch.equal(learner.model.U, learner.average.weights["U"])


def test_an_exam_that_is_failed_on_the_way_changes_nothing() -> None:
    examined, other = trainer(**ON_THE_WAY), trainer(**ON_THE_WAY | {"exam_every": 0})
    for learner in (examined, other):
        train_to(learner, 11)
        assert learner.hardened_steps == 7
    assert examined.milestone()[2].endswith("exams sat: 2")
    assert torch.equal(examined.model.U, other.model.U)
    assert torch.equal(examined.average.weights["U"], other.average.weights["U"])


def test_an_exam_may_have_longer_inputs_and_runs_of_digits_that_training_has_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    learner = trainer("bmul", slack=4, stretch=0.5, exam=20, exam_length=61, exam_chained=1.0, structured=0.0)
    asked: list[torch.Tensor] = []

    def answer(inputs: torch.Tensor) -> torch.Tensor:
        asked.append(inputs)
        return torch.zeros(*inputs.shape, 5)

    monkeypatch.setattr(learner, "model", answer)
    assert not learner.passes_exam(learner.model, 0)
    assert asked[0].shape == (20, 61 + 4 + 30)
    digits = asked[0][:, :30]
    assert (digits[:, 1:] == digits[:, :-1]).float().mean() > 0.6  # of uniform digits half are like the one before


def right_outputs(learner: DiagonalTrainer, inputs: torch.Tensor) -> torch.Tensor:
    answers = [learner.task.encode_answer(learner.task.decode(tape)) for tape in inputs.numpy()]
    return torch.from_numpy(np.concatenate(answers))


@pytest.mark.parametrize(("wrong_at", "passed"), [(0, True), (19 + 4, False)])
def test_an_exam_may_ask_for_shorter_inputs_besides_and_one_wrong_among_them_fails_it(
    wrong_at: int, passed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    learner = trainer("bmul", slack=4, exam=3, exam_length=201, exam_shorter=5)
    asked: list[torch.Size] = []

    def answer(inputs: torch.Tensor) -> torch.Tensor:
        asked.append(inputs.shape)
        outputs = right_outputs(learner, inputs)
        outputs[-1, 0] ^= inputs.shape[1] == wrong_at
        return F.one_hot(outputs, 6)

    monkeypatch.setattr(learner, "model", answer)
    assert learner.passes_exam(learner.model, 0) is passed
    assert asked == [(3, 201 + 4), (5, 19 + 4)]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"exam_length": -5}, "exam_length is -5; it must be 0 or at least 3"),
        ({"exam_length": 21, "exam_shorter": 9}, "exam_length is 21; a tenth of it is too short"),
        ({"exam_shorter": -1}, "exam_shorter is -1; it must be at least 0"),
        ({"exam_every": 3}, "exam_every is 3; it needs an exam, an average and shrink"),
        ({"exam_chained": 2.0}, "exam_chained is 2.0; it must be from 0 to 1"),
    ],
)
def test_an_exam_that_cannot_be_held_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        trainer(**settings)


@pytest.mark.parametrize(("wrong", "passed"), [(1, True), (2, False)])
def test_an_exam_has_new_pairs_of_the_largest_size_and_allows_for_some_errors(
    wrong: int, passed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    learner = trainer("bmul", slack=4, spare=2, harden_spare=(1,), exam=250, exam_errors=1, lengths=(5, 41))
    asked: list[torch.Tensor] = []

    def answer(inputs: torch.Tensor) -> torch.Tensor:
        asked.append(inputs)
        outputs = right_outputs(learner, inputs)
        if len(asked) == 3:
            outputs[:wrong, 0] += 1
        return F.one_hot(outputs)

    monkeypatch.setattr(learner, "model", answer)
    assert learner.passes_exam(learner.model, 0) is passed
    inputs = torch.cat(asked)
    assert inputs.shape == (250, 41 + 4)
    assert (inputs[:, 20] == learner.task.alphabet.index("*") + 1).all()


def test_the_same_seed_starts_again_from_the_same_weights_and_a_restored_trainer_knows() -> None:
    first, second, third = (trainer(**RETRYING) for _ in range(3))
    for learner in (first, second):
        learner.start_again()
    assert torch.equal(first.model.U, second.model.U)
    first.train_step()
    third.restore(*first.state())
    assert (third.retried, third.last_step) == (1, first.last_step)


def test_a_retry_is_decided_by_a_hundred_steps_of_hardening() -> None:
    with pytest.raises(UserError, match=r"retry_steps are \(99,\); they must be at least 100"):
        trainer(retry_steps=(99,))


def test_each_step_that_decides_about_a_retry_has_its_own_share() -> None:
    learner = trainer(**RETRYING | {"retry_steps": (150, 300)}, retry_below=(0.6, 0.8))
    run_steps(learner, 100, exact=1.0)
    run_steps(learner, 299, exact=0.7)
    assert (learner.retried, learner.hardening_since) == (0, 100)
    run_steps(learner, 1, exact=0.7)
    assert (learner.retried, learner.hardening_since) == (1, 0)
    with pytest.raises(UserError, match="as many of the one as of the other"):
        trainer(retry_steps=(150, 300), retry_below=(0.6,))


SEVERAL: dict[str, Any] = {
    "model": DiagonalConfig(maps=48, levels=2),
    "harden_at": 0.9,
    "harden_steps": 4,
    "max_steps": 6,
    "anneal_steps": 2,
    "round_after": 0,
    "average": 0.9,
    "members": 2,
    "member_steps": 4,
}


def test_hardening_goes_on_until_there_are_several_networks_with_the_rate_up_and_down_again() -> None:
    learner = trainer(**SEVERAL)
    rates = []
    while not learner.finished:
        learner.train_step()
        rates.append(learner.learning_rate / SMALL.learning_rate)
    low = SMALL.anneal_to
    assert rates == pytest.approx([1, 1, 1, 1, low**0.5, 1, 1, 1, low**0.5, low])
    assert learner.model.config.maps == 24
    assert not torch.equal(learner.earlier[0].U, learner.model.U)


def test_each_network_may_begin_with_weights_of_its_own_and_have_all_that_the_first_one_had() -> None:
    learner = trainer(**SEVERAL | {"member_steps": 0})
    train_to(learner, 6)
    assert (len(learner.earlier), learner.hardening_since, learner.started) == (1, 0, 6)
    assert not torch.equal(learner.model.U, trainer(**SEVERAL).model.U)
    assert (learner.learning_rate, learner.optimizer.state) == (SMALL.learning_rate, {})
    train_to(learner, 8)
    assert (learner.hardening_since, learner.finished) == (8, False)
    train_to(learner, 12)
    assert learner.finished


def test_the_second_network_may_start_again_without_the_first_being_lost() -> None:
    learner = trainer(**SEVERAL | {"member_steps": 0, "retries": 1, "exam": 1})
    learner.earlier = [copy.deepcopy(learner.model)]
    train_to(learner, 6)  # a network of six steps fails its exam
    assert (learner.retried, len(learner.earlier), learner.hardening_since) == (1, 1, 0)


def test_the_result_averages_the_outputs_of_all_networks_and_the_last_stands_for_those_to_come() -> None:
    learner = trainer(**SEVERAL)
    tapes = torch.from_numpy(learner.minibatch(np.random.default_rng(0), 9, 9, 3).inputs)
    train_to(learner, 3)
    torch.testing.assert_close(learner.result()(tapes), learner.model(tapes))
    train_to(learner, 10)
    assert learner.finished
    result = learner.result()
    assert result.config == SEVERAL["model"]
    torch.testing.assert_close(result(tapes), (learner.earlier[0](tapes) + learner.model(tapes)) / 2)


def test_a_restored_trainer_has_the_networks_that_are_done() -> None:
    whole, cut = trainer(**SEVERAL), trainer(**SEVERAL)
    train_to(whole, 8)
    cut.restore(*copy.deepcopy(whole.state()))
    for learner in (whole, cut):
        train_to(learner, 10)
    for name, weight in whole.result().state_dict().items():
        assert torch.equal(weight, cut.result().state_dict()[name])


def test_networks_that_share_maps_need_as_many_each() -> None:
    with pytest.raises(UserError, match="maps is 24; 5 networks need a multiple of 15"):
        trainer(members=5, harden_at=0.9)


def test_several_networks_need_hardening() -> None:
    with pytest.raises(UserError, match="members is 2 without hardening; set harden_at too"):
        trainer(members=2)


def test_a_share_below_which_hardening_goes_badly_is_a_share() -> None:
    with pytest.raises(UserError, match=r"retry_below are \(60,\); they must be from 0 to 1"):
        trainer(retry_below=(60,))
