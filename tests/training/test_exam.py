"""Exams, sat by networks of which is known what they answer."""

from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from neuralgpu.models.config import DiagonalConfig
from neuralgpu.models.model import Model
from neuralgpu.models.steps import Steps
from neuralgpu.tasks import Task, get_task
from neuralgpu.training.exam import passes
from neuralgpu.training.settings import Exam, Examples

STEPS = Steps(per_cell=2, extra=1)


class Oracle(Model):
    """Answers as its task does, but for one symbol of one input, counted from the first that it is asked."""

    def __init__(self, task: Task, wrong: int = -1) -> None:
        super().__init__(DiagonalConfig(maps=24), task.symbols)
        self.task = task
        self.wrong = wrong
        self.asked: list[Tensor] = []
        self.steps: list[int] = []

    def forward(self, i: Tensor, steps: int) -> Tensor:
        before = sum(map(len, self.asked))
        self.asked.append(i)
        self.steps.append(steps)
        answers = [self.task.encode_answer(self.task.decode(tape)) for tape in i.numpy()]
        symbols = torch.from_numpy(np.concatenate(answers))
        if before <= self.wrong < before + len(i):
            symbols[self.wrong - before, 0] ^= 3  # a 0 becomes a 1 and a 1 a 0
        return F.one_hot(symbols, self.symbols)


def sit(model: Oracle, seed: int = 0, examples: Examples | None = None, **exam: Any) -> bool:
    rng = np.random.default_rng(seed)
    return passes(model, model.task, STEPS, Exam(**exam), examples or Examples(), rng)


def bmul(slack: int = 0, stretch: float = 0.0) -> Task:
    task = get_task("bmul")
    return task.on(task.tape_with(slack, stretch, zero_fill=True))


def test_a_network_that_is_always_right_passes() -> None:
    assert sit(Oracle(bmul()), inputs=250)


@pytest.mark.parametrize("wrong", [0, 119, 249])
def test_one_wrong_symbol_in_one_input_fails_it(wrong: int) -> None:
    assert not sit(Oracle(bmul(), wrong), inputs=250)


def test_it_stops_at_the_first_inputs_that_are_wrong() -> None:
    model = Oracle(bmul(), wrong=0)
    sit(model, inputs=250)
    assert len(model.asked) == 1
    assert 0 < len(model.asked[0]) < 250


def test_its_inputs_are_as_many_and_as_large_as_asked_for_on_all_of_the_tape_with_all_of_the_steps() -> None:
    model = Oracle(bmul(slack=4, stretch=0.5))
    sit(model, inputs=20, length=61)
    inputs, cells = torch.cat(model.asked), 92 + 4  # 61 symbols of two numbers of 30 bits
    assert inputs.shape == (20, cells)
    assert (inputs[:, 30] == model.task.alphabet.index("*") + 1).all()
    assert set(model.steps) == {2 * cells + 1}


def test_inputs_of_a_tenth_of_the_length_may_follow() -> None:
    model = Oracle(bmul(slack=4))
    assert sit(model, inputs=3, length=201, shorter_inputs=5)
    assert [tuple(tapes.shape) for tapes in model.asked] == [(3, 201 + 4), (5, 19 + 4)]


def test_one_wrong_symbol_among_the_shorter_inputs_fails_it() -> None:
    assert not sit(Oracle(bmul(), wrong=3 + 4), inputs=3, length=201, shorter_inputs=5)


def test_it_has_runs_of_digits_that_training_has_not() -> None:
    model = Oracle(bmul())
    sit(model, inputs=200, length=61)
    digits = torch.cat(model.asked)[:, :30]
    # Half of uniform digits are like the one before, and of those in runs about four fifths: 0.7 * 0.5 + 0.3 * 0.8.
    assert (digits[:, 1:] == digits[:, :-1]).float().mean() > 0.55


def test_its_numbers_are_of_one_length_even_where_those_of_training_are_not() -> None:
    model = Oracle(bmul())
    sit(model, inputs=20, length=21, examples=Examples(any_lengths=1.0))
    assert (torch.cat(model.asked)[:, 10] == model.task.alphabet.index("*") + 1).all()


def test_the_generator_alone_decides_its_inputs() -> None:
    first, second, other = (Oracle(bmul()) for _ in range(3))
    for model, seed in ((first, 1), (second, 1), (other, 2)):
        sit(model, seed, inputs=4)
    assert torch.equal(first.asked[0], second.asked[0])
    assert not torch.equal(first.asked[0], other.asked[0])
