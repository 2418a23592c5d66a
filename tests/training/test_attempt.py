"""What an attempt does in each of its steps, and what follows from where it stands; nothing is trained here."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuralgpu.models.config import DiagonalConfig
from neuralgpu.models.steps import Steps
from neuralgpu.runs.config import NetworkConfig
from neuralgpu.tasks import Tape
from neuralgpu.training.attempt import (
    ANNEAL_TO,
    ROUND_AFTER,
    SATURATION,
    SHRINK_STEPS,
    Attempt,
    annealed,
    end_block,
    grow,
    network_at,
    plan,
    rate_factor,
)
from neuralgpu.training.settings import JUDGED_OVER, Fit, Harden, Retry, StagedSettings

RATE = 0.005


FIT = Fit(lengths=(8, 12), dropout=0.2, learning_rate=RATE)


def settings(retry: Retry | None = None, fit: Fit = FIT, **harden: Any) -> StagedSettings:
    usual: dict[str, Any] = {"when_exact": 0.9, "lengths": (12, 41), "dropout": 0.05}
    return StagedSettings(fit=fit, harden=Harden(**usual | harden), retry=retry or Retry())


def attempt(**state: Any) -> Attempt:
    return Attempt(**{"rate": RATE} | state)


# The plan of a step


def test_a_step_of_fitting_has_the_lengths_and_the_dropout_of_fitting_and_disturbs_nothing_else() -> None:
    now = plan(settings(shrink=0.1), hardened=0)
    assert (now.lengths, now.dropout, now.noise) == ((8, 12), 0.2, 0)
    assert (now.shrinks, now.prunes, now.pruned) == (False, False, False)


def test_a_step_of_hardening_has_lengths_of_its_own() -> None:
    assert plan(settings(), hardened=1).lengths == (12, 41)


@pytest.mark.parametrize(("hardened", "share"), [(1, 1 / 200), (100, 0.5), (200, 1), (3000, 1)])
def test_dropout_and_noise_grow_to_their_amplitude_in_the_ramp(hardened: int, share: float) -> None:
    now = plan(settings(gate_noise=0.4, dropout=0.05, ramp=200), hardened)
    assert (now.noise, now.dropout) == pytest.approx((0.4 * share, 0.05 * share))


@pytest.mark.parametrize(
    ("hardened", "rounded"), [(0, False), (1, False), (ROUND_AFTER - 1, False), (ROUND_AFTER, True), (9_999, True)]
)
def test_states_are_rounded_from_a_step_of_hardening_on_where_weights_shrink(hardened: int, rounded: bool) -> None:
    assert plan(settings(shrink=0.1), hardened).rounded is rounded


def test_states_are_rounded_from_the_first_step_of_hardening_where_weights_do_not_shrink() -> None:
    assert plan(settings(), hardened=1).rounded


def test_a_training_that_never_hardens_rounds_states_from_the_start() -> None:
    assert plan(settings(when_exact=0.0), hardened=0).rounded


@pytest.mark.parametrize(
    ("hardened", "shrinks", "prunes", "pruned"),
    [
        (1, True, False, False),
        (SHRINK_STEPS - 1, True, False, False),
        (SHRINK_STEPS, True, True, False),
        (SHRINK_STEPS + 1, False, False, True),
    ],
)
def test_weights_shrink_in_the_first_steps_are_pruned_in_the_last_of_these_and_then_stay_zero(
    hardened: int, shrinks: bool, prunes: bool, pruned: bool
) -> None:
    now = plan(settings(shrink=0.1), hardened)
    assert (now.shrinks, now.prunes, now.pruned) == (shrinks, prunes, pruned)


def test_no_weight_is_pruned_where_none_shrinks() -> None:
    plans = [plan(settings(shrink=0.0), hardened) for hardened in range(1, 2_000, 50)]
    assert not any(now.shrinks or now.prunes or now.pruned for now in plans)


@given(ramp=st.integers(1, 2_000), gate_noise=st.floats(0, 2))
def test_hardening_only_ever_moves_on(ramp: int, gate_noise: float) -> None:
    hardening = settings(shrink=0.1, ramp=ramp, gate_noise=gate_noise)
    plans = [plan(hardening, hardened) for hardened in range(1, 1_200)]
    for before, after in pairwise(plans):
        assert before.noise <= after.noise
        assert before.rounded <= after.rounded
        assert before.pruned <= after.pruned
    assert sum(now.prunes for now in plans) == 1


# The rate


def test_the_rate_of_hardening_stays_until_the_last_steps() -> None:
    assert annealed(settings(steps=30), rate=0.003, left=11) == 0.003


def test_the_rate_falls_by_the_same_factor_in_each_step_of_the_last_third() -> None:
    rates = [annealed(settings(steps=12), RATE, left) / RATE for left in (4, 3, 2, 1, 0)]
    assert rates == pytest.approx([ANNEAL_TO ** (k / 4) for k in range(5)])


def blocks(*losses: float) -> Attempt:
    """An attempt whose blocks of fitting had these losses."""
    fitting = attempt()
    for loss in losses:
        fitting.losses = [loss - 0.01, loss + 0.01]
        end_block(fitting, settings())
    return fitting


def test_the_rate_falls_when_two_blocks_are_worse_than_the_one_before_them() -> None:
    assert blocks(0.1, 0.2, 0.15).rate == pytest.approx(0.7 * RATE)


@pytest.mark.parametrize("losses", [(0.1, 0.2), (0.1, 0.2, 0.09), (0.2, 0.1, 0.15), (0.3, 0.2, 0.1)])
def test_the_rate_stays_where_blocks_do_not_get_worse(losses: tuple[float, ...]) -> None:
    assert blocks(*losses).rate == RATE


def test_the_rate_of_fitting_has_a_floor() -> None:
    assert blocks(*(0.1 * k for k in range(1, 40))).rate == pytest.approx(RATE / 60)


def test_the_saturation_cost_weighs_less_as_the_loss_falls() -> None:
    assert blocks().saturation == SATURATION
    assert blocks(0.5).saturation == SATURATION
    assert blocks(0.01).saturation == pytest.approx(RATE * 0.01)


def test_a_block_begins_without_losses() -> None:
    assert blocks(0.1).losses == []


def test_no_more_blocks_are_kept_than_the_rate_depends_on() -> None:
    assert blocks(0.4, 0.3, 0.2, 0.1).block_losses == pytest.approx([0.3, 0.2, 0.1])


@pytest.mark.parametrize(("loss", "factor"), [(1.0, 1), (0.3, 1), (0.15, 0.5), (0.001, 0.05)])
def test_the_rate_of_fitting_may_follow_the_running_loss_down_to_a_twentieth(loss: float, factor: float) -> None:
    slowing = settings(fit=replace(FIT, slow_below_loss=0.3))
    assert rate_factor(slowing, attempt(running_loss=loss)) == pytest.approx(factor)


def test_without_a_loss_to_slow_below_the_rate_does_not_follow_it() -> None:
    assert rate_factor(settings(), attempt(running_loss=0.001)) == 1


# Lengths that grow


GROWING = settings(fit=replace(FIT, lengths=(8, 12, 16), grow_when_exact=0.7))


def after_exact(state: Attempt, *shares: float) -> Attempt:
    for share in shares:
        grow(state, GROWING, exact=share)
    return state


@pytest.mark.parametrize(("lengths", "trained"), [(0, (8, 12, 16)), (1, (8,)), (2, (8, 12)), (3, (8, 12, 16))])
def test_fitting_trains_the_lengths_that_it_has_grown_to(lengths: int, trained: tuple[int, ...]) -> None:
    assert plan(GROWING, hardened=0, lengths=lengths).lengths == trained


def test_hardening_trains_its_own_lengths_whatever_fitting_grew_to() -> None:
    assert plan(GROWING, hardened=1, lengths=1).lengths == (12, 41)


def test_a_length_is_added_when_fifty_steps_at_the_longest_are_exact_and_its_steps_are_counted_anew() -> None:
    state = after_exact(attempt(lengths=1), *[1.0] * 35, *[0.0] * 14)
    assert state.lengths == 1
    after_exact(state, 0.0)  # 35 of 50 are 0.7
    assert (state.lengths, state.longest) == (2, [])


def test_no_length_is_added_where_too_few_outputs_are_exact() -> None:
    assert after_exact(attempt(lengths=1), *[0.69] * 200).lengths == 1


def test_there_are_no_more_lengths_than_those_of_the_settings() -> None:
    assert after_exact(attempt(lengths=1), *[1.0] * 500).lengths == 3


# When an attempt ends


def test_steps_of_hardening_count_from_where_it_began() -> None:
    assert attempt().hardened(500) == 0
    assert attempt(hardening_since=100).hardened(100) == 0
    assert attempt(hardening_since=100).hardened(101) == 1


@pytest.mark.parametrize(
    ("state", "last"),
    [
        ({}, 3_000),
        ({"began": 500}, 3_500),
        ({"hardening_since": 700}, 1_700),
        ({"hardening_since": 2_900}, 3_900),
        ({"hardening_since": 700, "passed_at": 950}, 950),
    ],
)
def test_a_stage_ends_at_its_last_step_or_where_the_exam_is_passed(state: dict[str, int], last: int) -> None:
    assert attempt(**state).last_step(settings(fit=replace(FIT, steps=3_000), steps=1_000)) == last


def test_a_share_of_exact_outputs_is_one_over_a_hundred_steps() -> None:
    assert JUDGED_OVER == 100
    assert not attempt(exacts=[1.0] * 99).exact(0.5)
    assert attempt(exacts=[1.0] * 75 + [0.0] * 25).exact(0.75)
    assert not attempt(exacts=[1.0] * 75 + [0.0] * 25).exact(0.76)


GIVE_UP = settings(retry=Retry(retries=1, give_up=((150, 0.6), (300, 0.8))))


@pytest.mark.parametrize(
    ("hardened", "share", "badly"),
    [(150, 0.59, True), (150, 0.6, False), (151, 0.0, False), (300, 0.7, True), (300, 0.8, False), (299, 0.7, False)],
)
def test_each_step_that_decides_about_hardening_has_a_share_of_its_own(
    hardened: int, share: float, badly: bool
) -> None:
    state = attempt(hardening_since=1_000, exacts=[share] * JUDGED_OVER)
    assert state.goes_badly(GIVE_UP, 1_000 + hardened) is badly


def test_nothing_is_decided_while_fitting() -> None:
    assert not attempt(exacts=[0.0] * JUDGED_OVER).goes_badly(GIVE_UP, 150)


def test_an_attempt_without_deciding_steps_is_never_given_up() -> None:
    never = replace(GIVE_UP, retry=Retry(retries=1, give_up=()))
    state = attempt(hardening_since=1, exacts=[0.0] * JUDGED_OVER)
    assert not any(state.goes_badly(never, step) for step in range(2, 1_000))


# The ladder


def test_attempts_take_widths_and_steps_in_turn() -> None:
    ladder = settings(retry=Retry(retries=9, widen=(1, 1, 2), standing=(True, False)))
    first = NetworkConfig("copy", "01", Tape(), Steps(1.5, 4), DiagonalConfig(maps=24))
    networks = [network_at(first, ladder, number) for number in range(6)]
    assert [network.model.maps for network in networks if isinstance(network.model, DiagonalConfig)] == [24, 24, 48] * 2
    assert [network.steps for network in networks] == [Steps(1.5, 4), Steps()] * 3
