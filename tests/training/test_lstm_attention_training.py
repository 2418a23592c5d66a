"""LSTM+A is trained by the paper's techniques, and on no more than the cells that it writes."""

from typing import Any

import numpy as np
import pytest
import torch

from neuralgpu.errors import UserError
from neuralgpu.models.baseline_config import StackRNNConfig
from neuralgpu.tasks import TASKS, get_task
from neuralgpu.training.baseline_settings import LSTMAttentionSettings
from neuralgpu.training.config import configure, with_settings
from neuralgpu.training.curriculum import Block
from neuralgpu.training.lstm_attention import LSTMAttentionTrainer, written
from neuralgpu.training.recipes import get_recipe
from neuralgpu.training.recipes.recipe import Recipe
from neuralgpu.training.train import make_trainer
from trainers import train_to, weights

SMALL: dict[str, Any] = {"layers": 1, "cells": 16, "batch": 16, "examples_per_size": 100, "curriculum_block": 5}


def trainer(task: str = "copy", seed: int = 0, **changes: Any) -> LSTMAttentionTrainer:
    recipe = with_settings(get_recipe("lstm-attention"), {**SMALL, **changes})
    made = make_trainer(configure(get_task(task), "lstm-attention", recipe, seed, threads=1), get_task(task))
    assert isinstance(made, LSTMAttentionTrainer)
    return made


def test_it_has_the_paper_s_curriculum_clipping_and_mixing() -> None:
    paper, ours = get_recipe("paper").settings, get_recipe("lstm-attention").settings
    same = (
        "examples_per_size",
        "clip_norm",
        "adam_epsilon",
        "curriculum_threshold",
        "mixing",
        "mixing_rule",
        "progress_on",
    )
    for name in same:
        assert getattr(paper, name) == getattr(ours, name)


def test_the_curriculum_moves_on_when_a_block_is_right() -> None:
    made = trainer(curriculum_threshold=0.0, mixing=0.0)
    train_to(made, 5)
    assert made.curriculum.level == 2
    train_to(made, 10)
    assert made.curriculum.level == 3


def test_it_learns_to_copy() -> None:
    made = trainer(learning_rate=0.01, cells=32)
    while made.curriculum.level < 3 and made.step < 600:
        made.train_step()
    assert made.curriculum.level == 3


def test_a_decoder_is_taught_each_answer_up_to_its_end() -> None:
    targets, counted = written(np.array([[1, 2, 0, 0, 0], [2, 1, 2, 2, 2], [1, 0, 0, 0, 0]]))
    assert targets.shape == (3, 5)
    assert counted.sum(axis=1).tolist() == [3, 5, 2]


def test_a_flawless_block_counts_at_the_maximal_size_alone() -> None:
    made = trainer(finish_blocks=2, decay=0.5)
    made.end_block(Block(exact=1.0, loss=0.0, passed=True, at_largest=False))
    assert not made.finished
    for loss in (0.1, 0.1, 0.1):
        made.end_block(Block(exact=0.9, loss=loss, passed=True, at_largest=True))
    assert made.learning_rate == 0.002
    made.end_block(Block(exact=1.0, loss=0.2, passed=True, at_largest=True))
    assert made.learning_rate == 0.001
    assert not made.finished
    made.end_block(Block(exact=1.0, loss=0.0, passed=True, at_largest=True))
    assert made.finished


def test_dropout_and_noise_follow_from_the_seed() -> None:
    runs, plain = [], dict[str, Any]()
    for seed, changes in ((0, plain), (0, plain), (1, plain), (0, {"dropout": 0.3}), (0, {"noise_scale": 1.0})):
        made = trainer(seed=seed, **changes)
        train_to(made, 3)
        runs.append(weights(made))
    assert torch.equal(runs[0], runs[1])
    assert not any(torch.equal(runs[0], other) for other in runs[2:])


def test_a_checkpoint_is_enough_to_go_on() -> None:
    made, other = trainer(), trainer()
    train_to(made, 7)
    tensors, state = made.state()
    other.restore({name: tensor.clone() for name, tensor in tensors.items()}, state)
    for one in (made, other):
        train_to(one, 12)
    assert torch.equal(weights(made), weights(other))


@pytest.mark.parametrize("task", TASKS)
def test_it_takes_every_task(task: str) -> None:
    made = trainer(task)
    train_to(made, 1)
    assert made.step == 1


def test_it_trains_no_other_model() -> None:
    task = get_task("badd")
    config = configure(task, "lstm-attention", Recipe(StackRNNConfig(), LSTMAttentionSettings()), 0, threads=1)
    with pytest.raises(
        UserError, match=r"^this training is for an LSTM with attention, not for a model of kind stack-rnn$"
    ):
        make_trainer(config, task)
