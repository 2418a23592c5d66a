from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from neuralgpu.errors import UserError
from neuralgpu.models.config import DiagonalConfig
from neuralgpu.models.diagonal import Diagonal
from neuralgpu.tasks import PAD, Batch
from neuralgpu.training.config import RunConfig
from neuralgpu.training.diagonal import BLOCK, DiagonalTrainer
from neuralgpu.training.drill import Drill
from neuralgpu.training.recipes import DIAGONAL
from neuralgpu.training.selection import Selection
from neuralgpu.training.trainer import StepResult

SMALL = replace(DIAGONAL, model=DiagonalConfig(maps=24), lengths=(5, 9), batch=4)


def trainer(task: str = "badd", seed: int = 0, **changes: Any) -> DiagonalTrainer:
    recipe = replace(SMALL, **changes)
    return DiagonalTrainer(RunConfig(task, "diagonal", seed, recipe), recipe)


def weights_after(steps: int, **changes: Any) -> torch.Tensor:
    learner = trainer(**changes)
    for _ in range(steps):
        learner.train_step()
    return torch.cat([p.detach().flatten() for p in learner.model.parameters()])


def train_to(learner: DiagonalTrainer, step: int) -> None:
    while learner.step < step:
        learner.train_step()


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


def test_addition_and_multiplication_can_be_learned_together_from_one_seed_by_either_name() -> None:
    assert torch.equal(weights_after(2, together=0.5, task="badd"), weights_after(2, together=0.5, task="bmul"))


def test_additions_join_once_most_products_are_exact() -> None:
    learner = trainer(together=0.25, harden_at=0.9, harden_steps=50)
    run_steps(learner, 99, exact=1.0)
    before = [task.name for task, count in learner.tasks(4).items() if count]
    run_steps(learner, 1, exact=1.0)
    assert (before, learner.joined_since, learner.hardening_since) == (["bmul"], 100, 0)
    run_steps(learner, 99, exact=1.0)
    assert learner.hardening_since == 0
    run_steps(learner, 1, exact=1.0)
    assert (learner.joined_since, learner.hardening_since) == (100, 200)


def test_additions_join_at_the_latest_when_hardening_begins() -> None:
    learner = trainer(together=0.25, harden_at=0.9, harden_steps=30, max_steps=100)
    run_steps(learner, 70, exact=0.0)
    assert (learner.joined_since, learner.hardening_since) == (70, 70)


def test_a_share_of_the_examples_are_additions_after_they_joined() -> None:
    learner = trainer(together=0.25)
    run_steps(learner, 100, exact=0.95)
    inputs, targets = learner.minibatch(np.random.default_rng(0), length=9, cells=9, count=4)
    multiplication, addition = learner.tasks(4)
    assert list(learner.tasks(4).values()) == [3, 1]
    for tapes, task in ((np.s_[:3], multiplication), (np.s_[3:], addition)):
        texts = [task.decode(tape) for tape in inputs[tapes]]
        assert [task.read(target) for target in targets[tapes]] == [task.answer(text) for text in texts]


def test_blocks_of_products_alone_do_not_lower_the_rate_of_the_mix() -> None:
    learner = trainer(together=0.5)
    end_blocks(learner, 0.1, 0.1)
    run_steps(learner, 100, exact=1.0)
    end_blocks(learner, 0.3, 0.2)
    assert learner.learning_rate == SMALL.learning_rate


def test_a_task_without_a_partner_is_learned_alone() -> None:
    assert [task.name for task in trainer("copy", together=0.5).tasks(4)] == ["copy"]


def test_training_leaves_out_the_spare_cells_of_the_slack() -> None:
    learner = trainer(slack=4, spare=3)
    learner.train_step()
    assert [drill.inputs.shape[1] for drill in learner.drills.values()] == [6, 10]
    assert learner.task.length(4) == 13
    with pytest.raises(UserError, match="spare is 3; it must be from 0 to slack, 2"):
        trainer(slack=2, spare=3)


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


def run_steps(learner: DiagonalTrainer, count: int, exact: float) -> None:
    """Let the trainer believe that it ran steps with this share of exact outputs."""
    for _ in range(count):
        learner.step += 1
        learner.after_step(StepResult(0.1, exact=exact, symbol=1.0))


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


def test_the_rate_falls_in_the_last_steps_of_hardening() -> None:
    learner = trainer(harden_at=1.0, harden_steps=5, anneal_steps=2, anneal_to=0.01, max_steps=6)
    rates = []
    for _ in range(6):
        run_steps(learner, 1, exact=0.0)
        rates.append(learner.learning_rate / SMALL.learning_rate)
    assert rates == pytest.approx([1, 1, 1, 1, 0.1, 0.01])
    assert learner.optimizer.param_groups[0]["lr"] == learner.learning_rate


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


DRILL: dict[str, Any] = {
    "harden_at": 1.0,
    "max_steps": 40,
    "harden_steps": 3,
    "anneal_steps": 1,
    "drill_steps": 30,
    "drill_lengths": (5, 9),
    "mined": 0,
    "select_every": 0,
}
"""Hardening begins at step 7, the drill at step 11, and training ends at step 40."""


def test_a_drill_has_the_spare_cells_and_lengths_of_its_own() -> None:
    learner = trainer(slack=4, spare=3, **DRILL | {"drill_lengths": (7,)})
    train_to(learner, 12)
    assert [len(drill.losses) for drill in learner.drills.values()] == [0, 0, 8]
    assert list(learner.drills) == [6, 10, 11]


def test_the_hardest_examples_come_back_after_hardening() -> None:
    learner = trainer(**DRILL)
    kept = []
    while not learner.finished:
        learner.train_step()
        kept.append([len(drill.losses) for drill in learner.drills.values()])
    assert kept[9:12] == [[0, 0], [4, 4], [8, 8]]
    assert kept[26:28] == [[66, 66], [68, 68]]  # two of four examples are new from the seventeenth step of the drill on
    assert all(np.array_equal(drill.losses, np.sort(drill.losses)[::-1]) for drill in learner.drills.values())


def test_a_drill_keeps_hard_ones_of_the_examples_that_a_step_only_tries() -> None:
    learner = trainer(**DRILL | {"mined": 6})
    train_to(learner, 11)
    assert [len(drill.losses) for drill in learner.drills.values()] == [10, 10]


def test_a_drill_leaves_room_for_a_new_example(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, draw = [], Drill.draw

    def note(drill: Drill, rng: np.random.Generator, count: int) -> Batch:
        asked.append(count)
        return draw(drill, rng, count)

    monkeypatch.setattr(Drill, "draw", note)
    train_to(trainer(**DRILL | {"drill": 0.99}), 11)
    assert asked[-3:] == [0, 3, 3]


def test_the_rate_of_a_drill_grows_and_falls() -> None:
    changes = {"max_steps": 110, "drill_steps": 100, "drill_rate": 0.002, "anneal_steps": 40, "anneal_to": 0.25}
    learner = trainer(**DRILL | changes)
    rates = {}
    for _ in range(110):
        learner.step += 1
        rates[learner.step - 10] = learner.learning_rate
        learner.average.follow(learner.model)
        learner.after_step(StepResult(0.1, exact=0.0, symbol=1.0))
    assert [rates[step] for step in (1, 25, 50, 61, 81)] == pytest.approx([0.002 / 50, 0.001, 0.002, 0.002, 0.001])


def test_a_drill_ends_with_the_average_of_the_weights_on_its_way() -> None:
    learner = trainer(**DRILL | {"max_steps": 12, "drill_steps": 2, "average": 0.75})
    train_to(learner, 11)
    first = learner.model.U.detach().clone()
    learner.train_step()
    last = learner.average.weights["U"]
    assert torch.equal(learner.model.U, last)
    assert not torch.equal(first, last)


def test_a_restored_trainer_has_its_drills() -> None:
    first, second = (trainer(**DRILL) for _ in range(2))
    train_to(first, 30)
    tensors, state = first.state()
    second.restore({name: tensor.clone() for name, tensor in tensors.items()}, state)
    while not first.finished:
        assert first.train_step() == second.train_step()
    assert torch.equal(first.model.U, second.model.U)


def test_the_average_that_does_best_on_longer_inputs_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    scores, looked_at = iter([2, 5, 4, 5, 1]), []

    def try_out(_selection: Selection, model: Diagonal) -> int:
        looked_at.append(model.U.detach().clone())
        return next(scores)

    monkeypatch.setattr(Selection, "try_out", try_out)
    learner = trainer(**DRILL | {"max_steps": 17, "drill_steps": 7, "select_every": 2})
    weights = {}
    while not learner.finished:
        learner.train_step()
        weights[learner.step] = learner.model.U.detach().clone()
    assert learner.gauges()["selected_exact"] == 5
    assert len(looked_at) == 5  # at steps 10, where hardening ends, 12, 14, 16 and 17
    assert not torch.equal(weights[16], looked_at[3])
    assert torch.equal(weights[17], looked_at[3])


def test_a_restored_trainer_remembers_the_best_network() -> None:
    changes = DRILL | {"max_steps": 14, "drill_steps": 4, "select_every": 2, "select_lengths": (9,)}
    first, second = (trainer(**changes) for _ in range(2))
    train_to(first, 12)
    tensors, state = first.state()
    second.restore({name: tensor.clone() for name, tensor in tensors.items()}, state)
    assert second.selection.score == first.selection.score >= 0
    for _ in range(2):
        assert first.train_step() == second.train_step()
    assert torch.equal(first.model.U, second.model.U)


def test_training_leaves_belts_as_they_are() -> None:
    learner = trainer(model=DiagonalConfig(maps=24, belts=True))
    before = {name: weight.clone() for name, weight in learner.model.state_dict().items()}
    train_to(learner, 3)
    after = learner.model.state_dict()
    for belt in (slice(0, 4), slice(8, 12), slice(16, 20)):
        assert torch.equal(after["E"][:, belt], before["E"][:, belt])
        assert torch.equal(after["B"][1, belt], torch.ones(4))
        assert after["U"][1, :, :, belt].count_nonzero() == 0
        assert not torch.equal(after["U"][0, :, belt], before["U"][0, :, belt])  # what is made of them is learned
    assert not torch.equal(after["E"][:, 4:8], before["E"][:, 4:8])


def test_lengths_beyond_the_training_length_are_refused() -> None:
    with pytest.raises(UserError, match=r"lengths are \(8, 42\); they must lie between 3 and 41"):
        replace(DIAGONAL, lengths=(8, 42))
    with pytest.raises(UserError, match=r"drill_lengths are \(\); they must lie between 3 and 41"):
        replace(DIAGONAL, drill_lengths=())
    with pytest.raises(UserError, match=r"select_lengths are \(2, 9\); they must be at least 3"):
        replace(DIAGONAL, select_lengths=(2, 9))


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
