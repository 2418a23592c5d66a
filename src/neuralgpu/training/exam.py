"""An exam: new inputs on which a network has to be right, without noise and with all of its steps."""

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray

from neuralgpu.evaluation.sizes import training_size
from neuralgpu.models.model import Model
from neuralgpu.models.steps import Steps
from neuralgpu.tasks import Batch, Task
from neuralgpu.training.settings import Exam, Examples

SYMBOLS = 4_100
"""Of inputs that are computed together: few long ones, since the first may be wrong."""
RUNS = 0.3
"""Share of the inputs made of runs of one digit: products of them carry furthest, and random digits hardly ever do."""
SHORTER = 10
"""How many times smaller than the exam's inputs the largest of the shorter ones are."""
MERIT_INPUTS = 200
"""Inputs of each size that compare the attempts where none has passed."""


def passes(model: Model, task: Task, steps: Steps, exam: Exam, examples: Examples, rng: np.random.Generator) -> bool:
    """Whether every output is right; it stops at the first that is wrong."""
    return all(right(model, steps, batch).all() for batch in paper(task, exam, examples, rng))


def merit(model: Model, task: Task, steps: Steps, examples: Examples, rng: np.random.Generator) -> float:
    """Exact outputs at the largest size of training and at twice that, a share of each, added: from 0 to 2.

    Of a task of given pairs, the share of those that were kept from training: from 0 to 1.
    """
    kept, largest = task.held_out(), training_size(task)
    if kept is not None:
        shares = [[right(model, steps, batch).mean() for batch in texts(task, (text for text, _ in kept))]]
    else:
        mixture = replace(examples, any_lengths=0.0)
        shares = [
            [right(model, steps, batch).mean() for batch in draws(task, size, MERIT_INPUTS, mixture, rng)]
            for size in (largest, 2 * largest)
        ]
    return float(sum(np.mean(share) for share in shares))


def paper(task: Task, exam: Exam, examples: Examples, rng: np.random.Generator) -> Iterator[Batch]:
    """What the exam asks, a few long inputs first, since they are the likeliest to be wrong."""
    kept = task.held_out()
    if kept is not None:
        yield from texts(task, (text for text, _ in kept))
        return
    mixture, largest = replace(examples, any_lengths=0.0, runs=RUNS), training_size(task)
    size = max(1, round(exam.times * largest))
    shorter = {min(size, asked) for asked in (largest, 2 * largest, max(1, size // SHORTER))}
    for asked, count in [(size, exam.inputs), *((asked, exam.shorter_inputs) for asked in sorted(shorter))]:
        if count:
            yield from draws(task, asked, count, mixture, rng)
            yield from stress(task, asked, rng)


def draws(task: Task, size: int, count: int, mixture: Examples, rng: np.random.Generator) -> Iterator[Batch]:
    """Random inputs of one size, `count` of them in all."""
    batch = max(1, SYMBOLS // task.extent(size))
    for start in range(0, count, batch):
        yield task.sample(rng, min(batch, count - start), size, mixture)


def stress(task: Task, size: int, rng: np.random.Generator) -> Iterator[Batch]:
    """The task's stress inputs of one size, as far as their answers are known."""
    asked = task.stress(task.nearest_size(size), rng).values()
    yield from texts(task, (text for text in asked if task.answer(text) is not None))


def texts(task: Task, known: Iterable[str]) -> Iterator[Batch]:
    """Inputs whose answers are known, those of one size together."""
    for size, group in itertools.groupby(sorted(known, key=task.size), task.size):
        some, batch = list(group), max(1, SYMBOLS // task.extent(size))
        for start in range(0, len(some), batch):
            part = some[start : start + batch]
            yield Batch(*(np.concatenate([tape(text) for text in part]) for tape in (task.encode, task.encode_answer)))


@torch.no_grad()
def right(model: Model, steps: Steps, batch: Batch) -> NDArray[np.bool_]:
    """For each input, whether every cell of its output is right."""
    inputs, targets = batch
    outputs = model(torch.from_numpy(inputs), steps(inputs.shape[1])).argmax(dim=-1).cpu().numpy()
    exact: NDArray[np.bool_] = (outputs == targets).all(axis=1)
    return exact
