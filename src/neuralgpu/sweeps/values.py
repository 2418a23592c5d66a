"""Values of settings as people write them: `learning_rate=1e-3,3e-3`, each checked against its setting's type."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from neuralgpu.errors import UserError
from neuralgpu.sweeps.grid import Axis
from neuralgpu.training.config import setting_values, with_settings
from neuralgpu.training.recipes.recipe import Recipe


def read_assignment(text: str) -> tuple[str, list[Any]]:
    """A name and its values from `name=v1,v2`; a value with commas of its own stands in brackets.

    >>> read_assignment("learning-rate=1e-3,0.003")
    ('learning_rate', [0.001, 0.003])
    >>> read_assignment("fit.lengths=[8,12],[8,41]")
    ('fit.lengths', [[8, 12], [8, 41]])
    >>> read_assignment("unify=once,repeatedly")
    ('unify', ['once', 'repeatedly'])
    """
    name, equals, values = text.partition("=")
    if not (name.strip() and equals and values.strip()):
        raise UserError(f"{text!r} is not a setting with its values; write it like learning_rate=1e-3,3e-3")
    try:
        parsed = json.loads(f"[{values}]")
    except ValueError:
        parsed = [_plain(value.strip()) for value in values.split(",")]
    return name.strip().replace("-", "_"), parsed


def checked_axes(recipe: Recipe, axes: Mapping[str, Sequence[Any]]) -> tuple[Axis, ...]:
    """Axes whose names are settings of the recipe and whose values have their types and lie in their bounds."""
    checked = []
    for name, values in axes.items():
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise UserError(f"axis {name} is {values!r}; it must be a list of values")
        checked.append(Axis(name, tuple(checked_settings(recipe, {name: value})[name] for value in values)))
    return tuple(checked)


def checked_settings(recipe: Recipe, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of a recipe with values of their types, such as a tuple for a list; a UserError names what is wrong."""
    values = setting_values(with_settings(recipe, settings))
    return {name: values[name] for name in settings}


def _plain(text: str) -> Any:
    """A value that stands alone: JSON, a number that JSON does not know such as .06, or else the text."""
    for read in (json.loads, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text
