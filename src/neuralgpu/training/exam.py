"""An exam: new inputs on which a network has to be right, without noise and with all of its slack."""

from dataclasses import replace

import numpy as np
import torch

from neuralgpu.models.registry import Model
from neuralgpu.tasks.digits import Mixture
from neuralgpu.tasks.task import Task
from neuralgpu.training.recipes import DiagonalRecipe

SYMBOLS = 4_100
"""Of inputs that are computed together: few long ones, since the first may be wrong."""


@torch.no_grad()
def passes(model: Model, task: Task, recipe: DiagonalRecipe, mixture: Mixture, rng: np.random.Generator) -> bool:
    """Whether no more outputs are wrong than the recipe allows; where it has no exam, none are."""
    length, wrong = recipe.exam_length or max(recipe.harden_lengths), 0
    mixture = replace(mixture, any_lengths=0.0, runs=recipe.exam_chained)
    for count, cells in ((recipe.exam, length), (recipe.exam_shorter, max(3, length // 10))):
        batch, size = max(1, SYMBOLS // cells), task.largest_size(cells)
        for start in range(0, count, batch):
            inputs, targets = task.sample(rng, min(batch, count - start), size, mixture)
            outputs = model(torch.from_numpy(inputs)).argmax(dim=-1).numpy()
            wrong += int((outputs != targets).any(axis=1).sum())
            if wrong > recipe.exam_errors:
                return False
    return True
