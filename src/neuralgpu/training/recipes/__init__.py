"""Every recipe by name. Each is a file of its own; a new one is a file and a line here."""

import importlib

from neuralgpu.errors import UserError, nearest
from neuralgpu.training.recipes.recipe import Recipe

RECIPES = {
    "paper": "as the paper describes it",
    "released": "as the authors' code of early 2016 did it where that differs from the paper",
    "paper-muon": "the paper's network, taught in stages as ours is",
    "diagonal": "as the authors of the Diagonal Neural GPU train theirs",
    "exact": "ours for multiplication: Muon, pruning, rounding, exams on the way",
    "addition": "ours for addition: the same with more slack and no exams",
    "tight": "ours for duplicate, whose answer fills the tape to its end",
    "small": "ours for copy, reverse and sort: a short training without pruning",
    "lstm-attention": "the paper's baseline: an LSTM with attention, by the paper's techniques",
    "stack-rnn": "the paper's baseline for addition: a recurrent network with stacks",
}
"""What each is for, in the order in which people should read them."""


def get_recipe(name: str) -> Recipe:
    """The recipe of this name."""
    if name not in RECIPES:
        raise UserError(f"unknown recipe {name!r}; {nearest(name, RECIPES)}")
    recipe: Recipe = importlib.import_module(f"neuralgpu.training.recipes.{name.replace('-', '_')}").RECIPE
    return recipe
