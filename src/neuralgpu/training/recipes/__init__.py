"""Every recipe by name. Each is a file of its own; a new one is a file and a line here."""

import importlib

from neuralgpu.errors import UserError, nearest
from neuralgpu.training.recipes.recipe import Recipe

RECIPES = {
    "paper": "as the paper describes it",
    "released": "as the authors' code of early 2016 did it where that differs from the paper",
    "paper-muon": "the paper's network, taught in stages as ours is",
    "diagonal": "as the authors of the Diagonal Neural GPU train theirs",
    "exact": "ours, for every task: attempts that fit, prune, round and sit exams until one passes",
    "lstm-attention": "the paper's baseline: an LSTM with attention, by the paper's techniques",
    "stack-rnn": "the paper's baseline for addition: a recurrent network with stacks",
}
"""What each is for, in the order in which people should read them."""

DURATIONS = {
    "paper": "4 to 55 minutes",
    "released": "not measured",
    "paper-muon": "7 to 36 minutes",
    "diagonal": "not measured",
    "exact": "1 to 3 minutes; longer for multiplication",
    "lstm-attention": "not measured to its end",
    "stack-rnn": "3 to 28 minutes",
}
"""How long trainings took on one core beside other work, by task and seed."""


def get_recipe(name: str) -> Recipe:
    """The recipe of this name; a UserError names the nearest one where there is none."""
    if name not in RECIPES:
        raise UserError(f"unknown recipe {name!r}; {nearest(name, RECIPES)}")
    recipe: Recipe = importlib.import_module(f"neuralgpu.training.recipes.{name.replace('-', '_')}").RECIPE
    return recipe
