"""Exams, sat by networks of which is known what they answer."""

from collections.abc import Sequence
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
from neuralgpu.training.exam import MERIT_INPUTS, merit, passes
from neuralgpu.training.settings import Exam, Examples
from toy import Swap

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
            symbols[self.wrong - before, 0] ^= 3  # of the first two symbols of the alphabet, one becomes the other
        return F.one_hot(symbols, self.symbols)


def sit(model: Oracle, seed: int = 0, examples: Examples | None = None, **exam: Any) -> bool:
    rng = np.random.default_rng(seed)
    return passes(model, model.task, STEPS, Exam(**exam), examples or Examples(), rng)


def bmul(slack: int = 0, stretch: float = 0.0) -> Task:
    task = get_task("bmul")
    return task.on(task.tape_with(slack, stretch, zero_fill=True))


def asked(model: Oracle) -> list[list[str]]:
    """The inputs of each size as texts, in the order in which they were asked."""
    texts = [model.task.decode(tape) for tapes in model.asked for tape in tapes.numpy()]
    sizes = dict.fromkeys(map(model.task.size, texts))
    return [[text for text in texts if model.task.size(text) == size] for size in sizes]


STRESS = len(get_task("bmul").stress(20, np.random.default_rng(0)))


def test_a_network_that_is_always_right_passes() -> None:
    assert sit(Oracle(bmul()), inputs=250)


@pytest.mark.parametrize("wrong", [0, 119, 249, 250, 250 + STRESS - 1])
def test_one_wrong_symbol_in_one_input_fails_it(wrong: int) -> None:
    assert not sit(Oracle(bmul(), wrong), inputs=250)


def test_it_stops_at_the_first_inputs_that_are_wrong() -> None:
    model = Oracle(bmul(), wrong=0)
    sit(model, inputs=250)
    assert len(model.asked) == 1
    assert 0 < len(model.asked[0]) < 250


def test_its_inputs_have_the_number_and_size_asked_for_on_all_of_the_tape_with_all_of_the_steps() -> None:
    model = Oracle(bmul(slack=4, stretch=0.5))
    sit(model, inputs=20, times=1.5)
    inputs, cells = torch.cat(model.asked), 92 + 4  # 61 symbols of two numbers of 30 bits
    assert inputs.shape == (20 + STRESS, cells)
    assert (inputs[:, 30] == model.task.alphabet.index("*") + 1).all()
    assert set(model.steps) == {2 * cells + 1}


def test_the_stress_inputs_of_its_size_belong_to_it() -> None:
    model = Oracle(bmul())
    sit(model, inputs=20)
    (texts,) = asked(model)
    assert f"{'1' * 20}*{'1' * 20}" in texts[20:]
    assert f"{'0' * 20}*{'0' * 20}" in texts[20:]


def test_shorter_inputs_of_three_sizes_follow_the_long_ones() -> None:
    model = Oracle(bmul())
    assert sit(model, inputs=2, times=50, shorter_inputs=5)
    sizes = [(model.task.size(texts[0]), len(texts)) for texts in asked(model)]
    assert sizes == [(1000, 2 + STRESS), (20, 5 + STRESS), (40, 5 + STRESS), (100, 5 + STRESS)]


def test_a_size_is_asked_once_where_two_of_the_three_are_the_same() -> None:
    model = Oracle(bmul())
    assert sit(model, inputs=2, times=10, shorter_inputs=5)
    assert [model.task.size(texts[0]) for texts in asked(model)] == [200, 20, 40]


def test_one_wrong_symbol_among_the_shorter_inputs_fails_it() -> None:
    assert not sit(Oracle(bmul(), wrong=4), inputs=3, times=10, shorter_inputs=5)


def test_it_has_runs_of_digits_that_training_has_not() -> None:
    model = Oracle(bmul())
    sit(model, inputs=200, times=1.5)
    digits = torch.cat(model.asked)[:200, :30]
    # Half of uniform digits are like the one before, and of those in runs about four fifths: 0.7 * 0.5 + 0.3 * 0.8.
    assert (digits[:, 1:] == digits[:, :-1]).float().mean() > 0.55


def test_its_numbers_are_of_one_length_even_where_those_of_training_are_not() -> None:
    model = Oracle(bmul())
    sit(model, inputs=20, examples=Examples(any_lengths=1.0))
    assert (torch.cat(model.asked)[:, 20] == model.task.alphabet.index("*") + 1).all()


def test_the_generator_alone_decides_its_inputs() -> None:
    first, second, other = (Oracle(bmul()) for _ in range(3))
    for model, seed in ((first, 1), (second, 1), (other, 2)):
        sit(model, seed, inputs=4)
    assert torch.equal(first.asked[0], second.asked[0])
    assert not torch.equal(first.asked[0], other.asked[0])


# Tasks of which not every input can be made, or answered


class Pairs(Swap):
    """Knows these pairs alone, of inputs of several sizes."""

    def held_out(self) -> Sequence[tuple[str, str]]:
        return [("ab", "ba"), ("abcab", "bacba"), ("cc", "cc"), ("a", "b")]


class Forgetful(Swap):
    """Has no answer to an input without an a."""

    def answer(self, text: str) -> str | None:  # type: ignore[override]
        return super().answer(text) if "a" in text else None

    def random(self, rng: np.random.Generator, size: int) -> str:
        return "a" * size


def test_pairs_that_were_kept_from_training_are_asked_instead_of_new_inputs() -> None:
    model = Oracle(Pairs())
    assert sit(model, inputs=1000, times=50)
    assert asked(model) == [["a"], ["ab", "cc"], ["abcab"]]


@pytest.mark.parametrize("wrong", range(4))
def test_every_one_of_them_has_to_be_right(wrong: int) -> None:
    assert not sit(Oracle(Pairs(), wrong), inputs=1)


def test_stress_inputs_without_a_known_answer_are_not_asked() -> None:
    model = Oracle(Forgetful())
    assert sit(model, inputs=3)
    (texts,) = asked(model)
    assert len(texts) > 3
    assert all("a" in text for text in texts)


class Even(Swap):
    """Has inputs of even sizes alone."""

    def nearest_size(self, size: int) -> int:
        return size - size % 2


def test_inputs_have_the_nearest_size_that_the_task_has() -> None:
    model = Oracle(Even())
    assert sit(model, inputs=3)
    assert [model.task.size(texts[0]) for texts in asked(model)] == [40]


# What compares the attempts where none has passed


def merit_of(model: Oracle) -> float:
    return merit(model, model.task, STEPS, Examples(any_lengths=1.0), np.random.default_rng(0))


def test_the_merit_counts_exact_outputs_at_the_largest_size_of_training_and_at_twice_that() -> None:
    model = Oracle(bmul())
    assert merit_of(model) == 2
    assert [(model.task.size(texts[0]), len(texts)) for texts in asked(model)] == [
        (20, MERIT_INPUTS),
        (40, MERIT_INPUTS),
    ]
    assert 1.9 < merit_of(Oracle(bmul(), wrong=7)) < 2


def test_the_merit_of_pairs_is_the_share_of_those_kept_that_are_right() -> None:
    assert merit_of(Oracle(Pairs())) == 1
    assert 0 < merit_of(Oracle(Pairs(), wrong=0)) < 1
