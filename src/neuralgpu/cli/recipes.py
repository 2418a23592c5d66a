"""`ngpu recipes`: how a network can be taught."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from neuralgpu.cli.arguments import parse
from neuralgpu.training.recipes import DURATIONS, RECIPES, get_recipe

DESCRIPTION = """List the recipes: what each is for, the model it trains and how long it takes on one core.

examples:
  ngpu recipes
  ngpu train reverse --recipe paper --help-all     every setting of one, with its default
"""


@dataclass(frozen=True)
class RecipesArguments:
    """How to print."""

    json: bool = False
    """print JSON, with every setting"""


def main(arguments: Sequence[str]) -> int:
    """Print a line for each recipe."""
    args = parse(RecipesArguments, "recipes", DESCRIPTION, arguments)
    if args.json:
        from neuralgpu.training.config import setting_values

        rows = [
            {
                "recipe": name,
                "for": purpose,
                "takes": DURATIONS[name],
                "model": get_recipe(name).model.kind,
                "settings": setting_values(get_recipe(name)),
            }
            for name, purpose in RECIPES.items()
        ]
        print(json.dumps(rows))
        return 0
    table = Table("recipe", "what it is", "model", "takes")
    for name, purpose in RECIPES.items():
        table.add_row(name, purpose, get_recipe(name).model.kind, DURATIONS[name])
    Console().print(table)
    return 0
