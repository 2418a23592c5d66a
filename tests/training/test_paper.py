"""The paper's training: each technique, the curriculum's consequences, and going on from a checkpoint."""

from typing import Any

import pytest
import torch

from neuralgpu.errors import UserError
from neuralgpu.models.config import DiagonalConfig
from neuralgpu.models.steps import Steps
from neuralgpu.runs.config import NetworkConfig
from neuralgpu.tasks import Tape, get_task
from neuralgpu.training.config import TrainConfig
from neuralgpu.training.curriculum import Block
from neuralgpu.training.paper import PaperTrainer
from neuralgpu.training.settings import PaperSettings
from trainers import paper, train_to, weights

USUAL = PaperSettings()


def weights_after(steps: int, changes: dict[str, Any] | None = None, **options: Any) -> torch.Tensor:
    learner = paper(changes, **options)
    train_to(learner, steps)
    return weights(learner)


def gradients_of_a_step(changes: dict[str, Any]) -> torch.Tensor:
    """The gradients that the optimiser is given in the first step."""
    learner = paper(changes)
    given: list[torch.Tensor] = []
    learner.optimizer.register_step_pre_hook(
        lambda *_: given.extend(p.grad.flatten().clone() for p in learner.model.parameters() if p.grad is not None)
    )
    learner.train_step()
    return torch.cat(given)


def count_block(learner: PaperTrainer, exact: float = 1.0, loss: float = 0.1) -> Block:
    """Let the curriculum count the minibatches of one block, and the trainer draw the consequences."""
    block = None
    while block is None:
        block = learner.curriculum.record(learner.curriculum.level, exact, loss)
    learner.end_block(block)
    return block


def full_pull(**changes: Any) -> PaperTrainer:
    """A trainer at the largest size, whose sets are far apart and pulled as strongly as they ever are."""
    learner = paper({"curriculum_start": 41, "relaxation_pull": 1.0, **changes}, task="copy")
    learner.train_step()  # so that Adam has moments
    learner.model.U.data.normal_()
    return learner


def test_the_seed_decides_the_weights() -> None:
    assert torch.equal(weights_after(3), weights_after(3))
    assert not torch.equal(weights_after(3), weights_after(3, seed=1))


def test_gradients_are_clipped_to_their_norm() -> None:
    quiet = {"noise_scale": 0.0}
    assert gradients_of_a_step({"clip_norm": 0.01, **quiet}).norm().item() == pytest.approx(0.01, rel=1e-3)
    assert gradients_of_a_step({"clip_norm": 0.0, **quiet}).norm().item() > 0.02


def test_noise_reaches_the_optimiser() -> None:
    silent = gradients_of_a_step({"noise_scale": 0.0})
    noise = gradients_of_a_step({"noise_scale": 0.5}) - silent
    assert noise.std().item() == pytest.approx(0.5, rel=0.1)  # step 1 with every output wrong


def test_adam_has_the_recipe_s_epsilon_and_rate() -> None:
    group = paper({"adam_epsilon": 1e-3, "learning_rate": 0.02}).optimizer.param_groups[0]
    assert (group["eps"], group["lr"]) == (1e-3, 0.02)


@pytest.mark.parametrize(
    "switch",
    [
        {"relaxation_sets": 1},
        {"noise_scale": 0.0},
        {"cutoff": False},
        {"steps.extra": 2},
        {"tape.slack": 2},
        {"dropout": 0.0},
        {"curriculum": False},
        {"mixing": 0.0},
        {"clip_norm": 0.0},
        {"examples_per_size": 0},
        {"initial_scale": 0.5},
        {"gate_bias": 0.0},
        {"dropout_length": 2},
        {"mixing_rule": "released"},
        {"curriculum_by": "length"},
        {"curriculum_smallest": 3},
    ],
    ids=lambda switch: next(iter(switch)),
)
def test_each_technique_can_be_switched(switch: dict[str, Any]) -> None:
    switched, usual = weights_after(8, switch), weights_after(8)
    assert switched.shape != usual.shape or not torch.equal(switched, usual)


def test_pad_counts_towards_a_fully_correct_output_unless_switched_off() -> None:
    def share_exact(count_pad: bool) -> float:
        learner = paper({"count_pad": count_pad, "curriculum_start": 1, "mixing": 0.0, "noise_scale": 0.0})
        return sum(learner.train_step().exact for _ in range(40))

    assert share_exact(count_pad=False) > share_exact(count_pad=True)


def test_the_pull_grows_with_each_block_that_passes_by_the_cells_of_an_advance() -> None:
    learner = paper()
    pulls = [learner.pull]
    for _ in range(3):
        count_block(learner)
        pulls.append(learner.pull)
    assert pulls == pytest.approx([5e-4 * 1.2**cells for cells in (0, 2, 4, 6)])  # a digit takes two cells


def test_a_failed_block_leaves_the_pull() -> None:
    learner = paper()
    count_block(learner, exact=0.5)
    assert learner.pull == pytest.approx(5e-4)


def test_the_pull_grows_at_the_largest_size_too_until_it_is_full() -> None:
    learner, pulls = full_pull(relaxation_pull=0.4, relaxation_pull_factor=2.0), []
    for _ in range(2):
        count_block(learner)
        pulls.append(learner.pull)
    assert pulls == pytest.approx([0.8, 1.6])
    assert learner.model.sets == 6
    count_block(learner)
    assert learner.model.sets == 1


def test_at_the_largest_size_and_full_pull_the_sets_become_their_mean_and_training_goes_on() -> None:
    learner = full_pull()
    mean = learner.model.U.mean(dim=0).detach()
    assert learner.model.sets == 6
    count_block(learner, exact=0.89)
    assert learner.model.sets == 6
    count_block(learner)
    assert learner.model.sets == 1
    assert learner.pull == 0
    torch.testing.assert_close(learner.model.U[0].detach(), mean)
    learner.train_step()
    assert {int(moments["step"]) for moments in learner.optimizer.state.values()} == {2}  # Adam went on
    assert not torch.equal(learner.model.U[0].detach(), mean)


def test_there_are_many_sets_until_the_largest_size_passes() -> None:
    learner = full_pull(curriculum_start=40)
    count_block(learner)
    assert learner.model.sets == 6
    count_block(learner)
    assert learner.model.sets == 1


@pytest.mark.parametrize("task", ["badd", "copy", "duplicate"])
def test_every_advance_multiplies_the_pull_whatever_the_task(task: str) -> None:
    learner = paper(task=task)
    while learner.curriculum.level < learner.curriculum.largest:
        before = learner.pull
        count_block(learner)
        assert learner.pull > 1.1 * before
    assert 0.1 < learner.pull < 1


def test_averaging_repeatedly_keeps_the_sets_and_waits_for_a_full_pull() -> None:
    changes = {"unify": "repeatedly", "relaxation_pull": 0.6, "relaxation_pull_factor": 2.0}
    learner = full_pull(curriculum_start=10, **changes)
    count_block(learner)
    assert learner.pull == pytest.approx(1.2)
    assert not torch.equal(learner.model.U[0], learner.model.U[5])
    count_block(learner)
    assert learner.pull == pytest.approx(1.2)
    torch.testing.assert_close(learner.model.U[0], learner.model.U[5])
    learner.train_step()
    assert learner.model.sets == 6
    assert not torch.equal(learner.model.U[0], learner.model.U[5])


@pytest.mark.parametrize(
    ("unify", "rates"), [("repeatedly", [0.5, 0.5, 0.25]), ("once", [1.0, 1.0, 0.5])], ids=["repeatedly", "once"]
)
def test_once_sets_are_averaged_blocks_with_few_errors_lower_the_rate(unify: str, rates: list[float]) -> None:
    learner, seen = full_pull(unify=unify, decay=0.5, curriculum_threshold=0.85), []
    for exact in (0.96, 0.94, 0.96):  # a third of the errors that pass is 0.05
        count_block(learner, exact)
        seen.append(learner.learning_rate / USUAL.learning_rate)
    assert seen == pytest.approx(rates)
    assert learner.optimizer.param_groups[0]["lr"] == learner.learning_rate


def test_a_checkpoint_of_another_configuration_is_refused() -> None:
    tensors, state = paper().state()
    with pytest.raises(UserError, match=r"the checkpoint does not fit config\.json"):
        paper(task="copy").restore(tensors, state)


def test_the_rate_decays_after_a_block_worse_than_three() -> None:
    learner = paper({"decay": 0.5})
    for loss in (0.3, 0.2, 0.1):
        count_block(learner, exact=0.0, loss=loss)
    assert learner.learning_rate == USUAL.learning_rate
    count_block(learner, exact=0.0, loss=0.4)
    assert learner.learning_rate == USUAL.learning_rate / 2
    assert learner.optimizer.param_groups[0]["lr"] == USUAL.learning_rate / 2


def test_the_rate_does_not_decay_because_a_larger_size_is_harder() -> None:
    learner = paper({"decay": 0.5})
    for loss in (0.3, 0.2):
        count_block(learner, exact=0.0, loss=loss)
    count_block(learner, exact=1.0, loss=0.1)  # moves on
    for loss in (0.5, 0.4):
        count_block(learner, exact=0.0, loss=loss)
    assert learner.learning_rate == USUAL.learning_rate
    count_block(learner, exact=0.0, loss=0.6)
    assert learner.learning_rate == USUAL.learning_rate / 2


def test_dropout_can_fade_with_the_length() -> None:
    assert paper({"dropout": 0.15}).dropout(40) == 0.15
    assert paper({"dropout": 0.15, "dropout_length": 8}).dropout(40) == pytest.approx(0.03)
    assert paper({"dropout": 0.15, "dropout_length": 8}).dropout(5) == 0.15


def test_training_ends_when_one_set_has_mastered_the_largest_size() -> None:
    learner = full_pull(curriculum_start=40, finish_blocks=2)
    count_block(learner)  # of size 40
    count_block(learner)  # the sets become one
    for exact in (1.0, 0.99):
        count_block(learner, exact)
        assert not learner.finished
    count_block(learner)
    assert learner.finished


def test_a_loss_that_is_no_number_stops_with_the_remedy() -> None:
    learner = paper()
    learner.model.O.data.fill_(float("nan"))
    with pytest.raises(UserError, match=r"the loss is nan at step 1; try a learning rate below 0\.001"):
        learner.train_step()


def test_training_ends_at_the_last_step() -> None:
    learner = paper({"max_steps": 1})
    learner.train_step()
    assert learner.finished


@pytest.mark.parametrize("before", [1, 3, 5])
@pytest.mark.parametrize(("switch", "sets"), [({}, 1), ({"unify": "repeatedly"}, 6)], ids=["once", "repeatedly"])
def test_a_restored_trainer_goes_on_with_the_same_bits(switch: dict[str, Any], sets: int, before: int) -> None:
    changes = {
        "curriculum_start": 40,
        "curriculum_threshold": 0.0,
        "curriculum_block": 2,
        "relaxation_pull": 0.7,
        "relaxation_pull_factor": 2.0,
        "decay": 0.5,
        **switch,
    }
    first, second = paper(changes, task="copy"), paper(changes, task="copy")
    train_to(first, before)
    tensors, state = first.state()
    second.restore({name: tensor.clone() for name, tensor in tensors.items()}, state)
    for _ in range(6):
        assert first.train_step() == second.train_step()
    assert first.model.sets == sets
    assert (first.rate, first.pull) == (second.rate, second.pull)
    assert torch.equal(weights(first), weights(second))


def test_the_paper_s_training_is_for_the_paper_s_network() -> None:
    task = get_task("copy")
    network = NetworkConfig(task.name, task.alphabet, Tape(), Steps(), DiagonalConfig(maps=24))
    with pytest.raises(
        UserError, match=r"^the paper's training is for a Neural GPU, not for a model of kind diagonal$"
    ):
        PaperTrainer(TrainConfig(network, "paper", 0, USUAL, threads=1), task, USUAL)
