from dataclasses import replace
from typing import Any

import pytest
import torch

from neuralgpu.errors import UserError
from neuralgpu.models.config import NeuralGPUConfig
from neuralgpu.training.config import RunConfig
from neuralgpu.training.paper import PaperTrainer
from neuralgpu.training.recipes import PAPER, PaperRecipe

SMALL = replace(PAPER, model=NeuralGPUConfig(layers=1, width=1, maps=8), batch=4, examples_per_size=50)


def trainer(task: str = "badd", seed: int = 0, **changes: Any) -> PaperTrainer:
    recipe: PaperRecipe = replace(SMALL, **changes)
    return PaperTrainer(RunConfig(task, "paper", seed, recipe), recipe)


def weights_after(steps: int, **changes: Any) -> torch.Tensor:
    """All weights of a network, one after the other."""
    learner = trainer(**changes)
    for _ in range(steps):
        learner.train_step()
    return torch.cat([p.detach().flatten() for p in learner.model.parameters()])


def gradients_of_a_step(**changes: Any) -> torch.Tensor:
    """The gradients that the optimiser is given in the first step."""
    learner = trainer(**changes)
    given: list[torch.Tensor] = []
    learner.optimizer.register_step_pre_hook(
        lambda *_: given.extend(p.grad.flatten().clone() for p in learner.model.parameters() if p.grad is not None)
    )
    learner.train_step()
    return torch.cat(given)


def pass_blocks(learner: PaperTrainer, count: int, exact: float = 1.0) -> None:
    """Let the trainer believe that it saw this many blocks."""
    for _ in range(count):
        block = None
        while block is None:
            block = learner.curriculum.record(learner.curriculum.size, exact, loss=0.1)
        learner.end_block(block)


def test_the_seed_decides_the_weights() -> None:
    assert torch.equal(weights_after(3), weights_after(3))
    assert not torch.equal(weights_after(3), weights_after(3, seed=1))


def test_gradients_are_clipped_to_their_norm() -> None:
    quiet: dict[str, Any] = {"noise_scale": 0.0}
    assert gradients_of_a_step(clip_norm=0.01, **quiet).norm().item() == pytest.approx(0.01, rel=1e-3)
    assert gradients_of_a_step(clip_norm=0.0, **quiet).norm().item() > 0.02


def test_noise_reaches_the_optimiser() -> None:
    silent = gradients_of_a_step(noise_scale=0.0)
    noise = gradients_of_a_step(noise_scale=0.5) - silent
    assert noise.std().item() == pytest.approx(0.5, rel=0.1)  # step 1 with every output wrong


def test_adam_has_the_recipe_s_epsilon_and_rate() -> None:
    group = trainer(adam_epsilon=1e-3, learning_rate=0.02).optimizer.param_groups[0]
    assert (group["eps"], group["lr"]) == (1e-3, 0.02)


@pytest.mark.parametrize(
    "switch",
    [
        {"relaxation_sets": 1},
        {"noise_scale": 0.0},
        {"model": replace(SMALL.model, cutoff=False)},
        {"dropout": 0.0},
        {"curriculum": False},
        {"mixing": 0.0},
        {"clip_norm": 0.0},
        {"examples_per_size": 0},
        {"initial_scale": 0.5},
        {"gate_bias": 0.0},
        {"dropout_length": 2},
        {"mixing_rule": "released"},
    ],
    ids=lambda switch: next(iter(switch)),
)
def test_each_technique_can_be_switched(switch: dict[str, Any]) -> None:
    switched, usual = weights_after(8, **switch), weights_after(8)
    assert switched.shape != usual.shape or not torch.equal(switched, usual)


def test_pad_counts_towards_a_fully_correct_output_unless_switched_off() -> None:
    def share_exact(count_pad: bool) -> float:
        learner = trainer(count_pad=count_pad, curriculum_start=1, mixing=0.0, noise_scale=0.0)
        return sum(learner.train_step().exact for _ in range(40))

    assert share_exact(count_pad=False) > share_exact(count_pad=True)


def test_the_pull_grows_with_each_advance_of_the_curriculum() -> None:
    learner = trainer()
    pulls = [learner.pull]
    for _ in range(3):
        pass_blocks(learner, 1)
        pulls.append(learner.pull)
    assert pulls == pytest.approx([5e-4 * 1.2**cells for cells in (0, 2, 4, 6)])  # a digit takes two cells


def test_a_failed_block_leaves_the_pull() -> None:
    learner = trainer()
    pass_blocks(learner, 1, exact=0.5)
    assert learner.pull == pytest.approx(5e-4)


def test_at_the_maximal_size_the_sets_become_their_mean_and_training_goes_on() -> None:
    learner = trainer(task="copy", curriculum_start=40)
    learner.model.U.data.normal_()
    mean = learner.model.U.mean(dim=0).detach()
    assert learner.model.sets == 6
    pass_blocks(learner, 1)
    assert learner.curriculum.complete
    assert learner.model.sets == 1
    assert learner.pull == 0
    torch.testing.assert_close(learner.model.U[0].detach(), mean)
    learner.train_step()
    assert not torch.equal(learner.model.U[0].detach(), mean)


@pytest.mark.parametrize("task", ["badd", "copy", "duplicate"])
def test_the_pull_is_strong_at_the_maximal_size_whatever_the_task(task: str) -> None:
    learner = trainer(task=task, unify="repeatedly")
    assert learner.pull == SMALL.relaxation_pull
    pass_blocks(learner, 40)
    assert learner.curriculum.complete
    assert 0.1 < learner.pull < 1


def test_averaging_repeatedly_keeps_the_sets_and_waits_for_a_strong_pull() -> None:
    learner = trainer(unify="repeatedly", relaxation_pull=0.025, relaxation_pull_factor=2.0)
    learner.model.U.data.normal_()
    pass_blocks(learner, 1)  # the block moves the pull to 0.1
    assert learner.model.sets == 6
    torch.testing.assert_close(learner.model.U[0], learner.model.U[5])
    weak = trainer(unify="repeatedly", relaxation_pull=0.01, relaxation_pull_factor=2.0)
    weak.model.U.data.normal_()
    pass_blocks(weak, 1)
    assert not torch.equal(weak.model.U[0], weak.model.U[5])


def test_a_checkpoint_of_another_configuration_is_refused() -> None:
    tensors, state = trainer().state()
    with pytest.raises(UserError, match=r"the checkpoint does not fit config\.json"):
        trainer(task="copy").restore(tensors, state)


def test_the_rate_decays_after_a_block_worse_than_three() -> None:
    learner = trainer(decay=0.5)
    for loss in (0.3, 0.2, 0.1):
        block = None
        while block is None:
            block = learner.curriculum.record(learner.curriculum.size, 0.0, loss)
        learner.end_block(block)
    assert learner.learning_rate == PAPER.learning_rate
    for _ in range(PAPER.curriculum_block):
        block = learner.curriculum.record(learner.curriculum.size, 0.0, loss=0.4)
    assert block is not None
    learner.end_block(block)
    assert learner.learning_rate == PAPER.learning_rate / 2
    assert learner.optimizer.param_groups[0]["lr"] == PAPER.learning_rate / 2


def test_dropout_can_fade_with_the_length() -> None:
    assert trainer(dropout=0.15).dropout(40) == 0.15
    assert trainer(dropout=0.15, dropout_length=8).dropout(40) == pytest.approx(0.03)
    assert trainer(dropout=0.15, dropout_length=8).dropout(5) == 0.15


def test_training_ends_when_the_maximal_size_is_mastered() -> None:
    learner = trainer(task="copy", curriculum_start=40, finish_blocks=2)
    pass_blocks(learner, 1)  # of size 40
    assert learner.curriculum.complete
    pass_blocks(learner, 1)
    pass_blocks(learner, 1, exact=0.99)
    assert not learner.finished
    pass_blocks(learner, 1)
    assert learner.finished


def test_a_loss_that_is_no_number_stops_with_the_remedy() -> None:
    learner = trainer()
    learner.model.O.data.fill_(float("nan"))
    with pytest.raises(UserError, match=r"the loss is nan at step 1; try a learning rate below 0\.001"):
        learner.train_step()


def test_training_ends_at_the_last_step() -> None:
    learner = trainer(max_steps=1)
    learner.train_step()
    assert learner.finished


def test_a_restored_trainer_goes_on_with_the_same_bits() -> None:
    first = trainer(task="copy", curriculum_start=40, curriculum_threshold=0.0, curriculum_block=2)
    for _ in range(3):
        first.train_step()
    tensors, state = first.state()
    tensors = {name: tensor.clone() for name, tensor in tensors.items()}
    second = trainer(task="copy", curriculum_start=40, curriculum_threshold=0.0, curriculum_block=2)
    second.restore(tensors, state)
    for _ in range(4):
        assert first.train_step() == second.train_step()
    assert first.model.sets == 1
    for a, b in zip(first.model.parameters(), second.model.parameters(), strict=True):
        assert torch.equal(a, b)
