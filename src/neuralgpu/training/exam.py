"""An exam: new inputs on which a network has to be right, without noise and with all of its slack."""

from dataclasses import replace

import numpy as np
import torch

from neuralgpu.models.model import Model
from neuralgpu.models.steps import Steps
from neuralgpu.tasks import Task
from neuralgpu.training.settings import Exam, Examples

SYMBOLS = 4_100
"""Of inputs that are computed together: few long ones, since the first may be wrong."""
RUNS = 0.3
"""Share of the inputs made of runs of one digit: products of them carry furthest, and random digits hardly ever do."""


@torch.no_grad()
def passes(model: Model, task: Task, steps: Steps, exam: Exam, examples: Examples, rng: np.random.Generator) -> bool:
    """Whether every output is right; it stops at the first that is wrong."""
    mixture = replace(examples, any_lengths=0.0, runs=RUNS)
    for count, cells in ((exam.inputs, exam.length), (exam.shorter_inputs, max(3, exam.length // 10))):
        batch, size = max(1, SYMBOLS // cells), task.largest_size(cells)
        for start in range(0, count, batch):
            inputs, targets = task.sample(rng, min(batch, count - start), size, mixture)
            outputs = model(torch.from_numpy(inputs), steps(inputs.shape[1])).argmax(dim=-1).cpu().numpy()
            if (outputs != targets).any():
                return False
    return True
