from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from diagonal import SMALL, run_steps, train_to, trainer
from neuralgpu.errors import UserError
from neuralgpu.models.config import DiagonalConfig
from neuralgpu.models.diagonal import Diagonal
from neuralgpu.tasks import PAD
from neuralgpu.training.diagonal import BLOCK, DiagonalTrainer
from neuralgpu.training.recipes import DIAGONAL
from neuralgpu.training.trainer import StepResult


def weights_after(steps: int, **changes: Any) -> torch.Tensor:
    learner = trainer(**changes)
    for _ in range(steps):
        learner.train_step()
    return torch.cat([p.detach().flatten() for p in learner.model.parameters()])


def end_blocks(learner: DiagonalTrainer, *losses: float) -> None:
    """Let the trainer believe that its blocks had these losses."""
    for loss in losses:
        learner.losses = [loss] * (BLOCK - 1)
        learner.step += BLOCK - learner.step % BLOCK
        learner.after_step(StepResult(loss, exact=0.0, symbol=0.0))


def test_the_authors_numbers() -> None:
    assert DIAGONAL.lengths == (8, 12, 16, 20, 25, 28, 31, 36, 41)
    assert (DIAGONAL.batch, DIAGONAL.dropout, DIAGONAL.model.maps) == (32, 0.1, 96)
    assert pytest.approx(0.01 * 48 / 96) == DIAGONAL.learning_rate


def test_the_seed_decides_the_weights() -> None:
    assert torch.equal(weights_after(2), weights_after(2))
    assert not torch.equal(weights_after(2), weights_after(2, seed=1))


@pytest.mark.parametrize(
    "switch",
    [
        {"dropout": 0.0},
        {"saturation": 0.0},
        {"noise_scale": 1.0},
        {"slack": 2},
        {"zero_fill": False},
        {"structured": 1.0},
        {"uneven": 1.0},
        {"unequal": 1.0},
        {"chained": 1.0},
        {"shorter": 1.0},
        {"model": DiagonalConfig(maps=24, levels=4)},
        {"harden_at": 1.0, "harden_steps": 2, "max_steps": 3},
    ],
    ids=lambda switch: next(iter(switch)),
)
def test_each_technique_can_be_switched(switch: dict[str, Any]) -> None:
    assert not torch.equal(weights_after(3, **switch), weights_after(3))


def test_tapes_have_the_length_asked_for_with_shorter_inputs_and_right_answers_on_them() -> None:
    learner = trainer(slack=3, shorter=0.5)
    inputs, targets = learner.minibatch(np.random.default_rng(0), length=9, cells=12, count=64)
    assert inputs.shape == (64, 12)
    task = learner.task
    texts = [task.decode(tape) for tape in inputs]
    assert len({len(text) for text in texts}) == 2
    assert [task.read(target) for target in targets] == [task.answer(text) for text in texts]
    assert (targets != PAD).all()


def cells_of_next_step(learner: DiagonalTrainer, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Let the trainer run a step, and tell how long its tapes were."""
    seen, run = [], Diagonal.run

    def note(model: Diagonal, i: torch.Tensor, *rest: Any, **options: Any) -> tuple[torch.Tensor, torch.Tensor]:
        seen.append(i.shape[1])
        return run(model, i, *rest, **options)

    with monkeypatch.context() as patch:
        patch.setattr(Diagonal, "run", note)
        learner.train_step()
    return seen


def test_training_leaves_out_the_spare_cells_of_the_slack(monkeypatch: pytest.MonkeyPatch) -> None:
    changes: dict[str, Any] = {"harden_at": 1.0, "harden_steps": 5, "max_steps": 6, "harden_lengths": (7,)}
    learner = trainer(slack=4, spare=3, harden_spare=(1,), **changes)
    assert [cells_of_next_step(learner, monkeypatch) for _ in range(2)] == [[6, 10], [10]]
    assert learner.task.length(4) == 13


@pytest.mark.parametrize("change", [{"spare": 3}, {"harden_spare": (0, 3)}, {"harden_spare": ()}], ids=str)
def test_cells_cannot_be_left_out_that_are_not_there(change: dict[str, Any]) -> None:
    with pytest.raises(UserError, match=r"spare is .*; it must be from 0 to slack, 2"):
        trainer(slack=2, **change)


def test_each_minibatch_of_hardening_leaves_out_one_of_several_numbers_of_cells(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    changes: dict[str, Any] = {"harden_at": 1.0, "harden_steps": 5, "max_steps": 6, "harden_lengths": (7,) * 20}
    learner = trainer(slack=4, harden_spare=(1, 3), **changes)
    learner.train_step()
    assert set(cells_of_next_step(learner, monkeypatch)) == {8, 10}


def test_the_rate_falls_when_two_blocks_are_worse_than_the_one_before_them() -> None:
    learner = trainer()
    end_blocks(learner, 0.1, 0.2)
    assert learner.learning_rate == SMALL.learning_rate
    end_blocks(learner, 0.15)
    assert learner.learning_rate == pytest.approx(SMALL.learning_rate * 0.7)
    assert learner.optimizer.param_groups[0]["lr"] == learner.learning_rate


def test_the_rate_has_a_floor() -> None:
    learner = trainer()
    end_blocks(learner, *(0.1 * k for k in range(1, 40)))
    assert learner.learning_rate == pytest.approx(SMALL.learning_rate / 60)


def test_hardening_begins_when_most_outputs_of_a_hundred_steps_are_exact() -> None:
    learner = trainer(harden_at=0.9, harden_steps=50)
    run_steps(learner, 150, exact=0.8)
    run_steps(learner, 49, exact=1.0)
    before = learner.hardening_since
    run_steps(learner, 1, exact=1.0)
    assert (before, learner.hardening_since) == (0, 200)
    assert learner.saturation == 0
    run_steps(learner, 49, exact=1.0)
    assert not learner.finished
    run_steps(learner, 1, exact=1.0)
    assert learner.finished


def test_hardening_begins_in_time_for_the_last_step() -> None:
    learner = trainer(harden_at=0.9, harden_steps=30, max_steps=100)
    run_steps(learner, 99, exact=0.0)
    assert (learner.hardening_since, learner.finished) == (70, False)
    run_steps(learner, 1, exact=0.0)
    assert learner.finished


def test_hardening_begins_at_once_where_there_are_too_few_steps_for_it() -> None:
    learner = trainer(harden_at=0.9, harden_steps=30, max_steps=3)
    run_steps(learner, 2, exact=0.0)
    assert (learner.hardening_since, learner.last_step) == (1, 3)


def test_the_rate_falls_in_the_last_steps_of_hardening() -> None:
    learner = trainer(harden_at=1.0, harden_steps=5, anneal_steps=2, anneal_to=0.01, max_steps=6)
    rates = []
    for _ in range(6):
        run_steps(learner, 1, exact=0.0)
        rates.append(learner.learning_rate / SMALL.learning_rate)
    assert rates == pytest.approx([1, 1, 1, 1, 0.1, 0.01])
    assert learner.optimizer.param_groups[0]["lr"] == learner.learning_rate


def test_the_rate_falls_sooner_once_nearly_all_outputs_of_rounded_states_are_exact() -> None:
    changes: dict[str, Any] = {"harden_at": 0.9, "harden_steps": 900, "round_after": 200, "max_steps": 1000}
    learner = trainer(**changes, settle_at=0.99, anneal_steps=50)
    run_steps(learner, 100, exact=1.0)
    assert (learner.hardening_since, learner.last_step) == (100, 1000)
    run_steps(learner, 250, exact=1.0)
    assert (learner.settled_since, learner.last_step) == (0, 1000)  # states are rounded since step 300
    run_steps(learner, 100, exact=0.0)
    run_steps(learner, 98, exact=1.0)
    assert learner.settled_since == 0
    run_steps(learner, 1, exact=1.0)
    assert (learner.settled_since, learner.last_step) == (549, 599)
    run_steps(learner, 49, exact=0.5)
    assert not learner.finished
    run_steps(learner, 1, exact=0.5)
    assert learner.finished
    assert learner.learning_rate == pytest.approx(SMALL.learning_rate * SMALL.anneal_to)


def test_the_saturation_cost_weighs_less_as_the_loss_falls() -> None:
    learner = trainer()
    assert learner.saturation == 1e-3
    end_blocks(learner, 0.01)
    assert learner.saturation == pytest.approx(SMALL.learning_rate * 0.01)


def test_noise_grows_to_its_amplitude_in_hardening() -> None:
    learner = trainer(harden_at=0.9, harden_steps=200, gate_noise=0.2, gate_noise_ramp=50, max_steps=300)
    amplitudes = []
    for steps in (100, 25, 25, 100):
        run_steps(learner, steps, exact=0.0)
        amplitudes.append(learner.gate_noise)
    assert amplitudes == pytest.approx([0, 0.1, 0.2, 0.2])


def test_rounding_begins_in_hardening_where_there_is_any() -> None:
    assert trainer().rounding
    learner = trainer(harden_at=0.9, harden_steps=200, round_after=50, max_steps=300)
    rounding = []
    for steps in (100, 49, 1):
        run_steps(learner, steps, exact=0.0)
        rounding.append(learner.rounding)
    assert rounding == [False, False, True]


def test_a_restored_trainer_goes_on_with_the_same_bits() -> None:
    first, second = trainer(), trainer()
    for _ in range(3):
        first.train_step()
    tensors, state = first.state()
    second.restore({name: tensor.clone() for name, tensor in tensors.items()}, state)
    for _ in range(3):
        assert first.train_step() == second.train_step()


HARDENING: dict[str, Any] = {
    "model": DiagonalConfig(maps=24, levels=2),
    "harden_at": 1.0,
    "max_steps": 9,
    "harden_steps": 7,
    "round_after": 3,
    "average": 0.75,
}
"""Hardening begins at step 3, rounding at step 5, and training ends at step 9."""


def test_hardening_ends_with_the_average_of_the_weights_since_rounding() -> None:
    learner = trainer(**HARDENING)
    mean = torch.empty(0)
    while learner.step < 8:
        learner.train_step()
        weights = learner.model.U.detach()
        mean = torch.lerp(mean, weights, 0.25) if learner.step > 5 else weights.clone()
    assert torch.equal(learner.average.weights["U"], mean)
    learner.train_step()
    assert learner.finished
    assert torch.equal(learner.model.U, learner.average.weights["U"])
    assert not torch.equal(learner.model.U, mean)


def test_a_restored_trainer_remembers_the_average() -> None:
    first, second = (trainer(**HARDENING) for _ in range(2))
    train_to(first, 7)
    tensors, state = first.state()
    second.restore({name: tensor.clone() for name, tensor in tensors.items()}, state)
    train_to(first, 9)
    train_to(second, 9)
    assert torch.equal(first.model.U, second.model.U)


def test_lengths_beyond_the_training_length_are_refused() -> None:
    with pytest.raises(UserError, match=r"lengths are \(8, 42\); they must lie between 3 and 41"):
        replace(DIAGONAL, lengths=(8, 42))
    with pytest.raises(UserError, match=r"harden_lengths are \(\); they must lie between 3 and 41"):
        replace(DIAGONAL, harden_lengths=())


def test_weights_shrink_in_the_first_steps_of_hardening_and_what_is_pruned_then_stays_zero() -> None:
    learner = trainer(harden_at=1.0, max_steps=9, harden_steps=8, shrink=1.0, shrink_steps=3, prune_below=0.05)
    kept = []
    while not learner.finished:
        learner.train_step()
        kept.append(learner.model.U.detach() != 0)
    shares = [mask.float().mean().item() for mask in kept]
    assert shares[0] == 1
    assert 1 > shares[2] > 0.9 > shares[3]
    assert all(torch.equal(mask, kept[3]) for mask in kept[4:])
    assert learner.model.U[kept[3]].abs().min() < learner.recipe.prune_below + 0.01


def test_hardening_has_a_dropout_of_its_own() -> None:
    learner = trainer(dropout=0.2, harden_dropout=0.05, harden_at=0.9, harden_steps=5, max_steps=10)
    run_steps(learner, 4, exact=0.0)
    before = learner.dropout
    run_steps(learner, 1, exact=0.0)
    assert (before, learner.dropout) == (0.2, 0.05)


def test_only_the_native_engine_has_all_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    learner, seen = trainer(), []
    before = torch.get_num_threads()
    learner.model.engine, learner.model.threads = "native", 2
    monkeypatch.setattr(
        DiagonalTrainer, "run_step", lambda *_: seen.append((torch.get_num_threads(), learner.model.threads))
    )
    learner.train_step()
    assert seen == [(1, 2)]
    assert torch.get_num_threads() == before
