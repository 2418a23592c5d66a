"""The grid: axes of settings, the points that they span, and the grid of the paper."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from neuralgpu.errors import UserError, nearest
from neuralgpu.streams import check_seed
from neuralgpu.training.config import setting_values
from neuralgpu.training.recipes.recipe import Recipe

MOST_POINTS = 1_000_000
DROPOUTS = (0.06, 0.09, 0.135)
"""The only values of its grid that the paper gives."""


@dataclass(frozen=True)
class Axis:
    """A setting, by the name of its flag, and the values that it takes."""

    name: str
    values: tuple[Any, ...]


@dataclass(frozen=True)
class Point:
    """One training of a grid."""

    number: int
    digits: str
    """the place of its value on each axis, and which of the seeds it is where there are several"""
    settings: Mapping[str, Any]
    seed: int


@dataclass(frozen=True)
class Grid:
    """Every combination of the values of its axes, each with as many seeds.

    A point's number has its place on each axis as digits, the first axis first; its seed is the base seed plus its
    number. With three values on each axis the digits are those of the number in base 3.

    >>> grid = Grid((Axis("maps", (8, 16, 24)), Axis("dropout", (0.06, 0.09, 0.135))), seed=100)
    >>> grid.point(5)
    Point(number=5, digits='12', settings={'maps': 16, 'dropout': 0.135}, seed=105)
    """

    axes: tuple[Axis, ...]
    seeds: int = 1
    seed: int = 0
    """the base seed, that of point 0"""

    def __post_init__(self) -> None:
        names = [axis.name for axis in self.axes]
        for axis in self.axes:
            if names.count(axis.name) > 1:
                raise UserError(f"axis {axis.name} is given twice; put all of its values in one")
            if not axis.values:
                raise UserError(f"axis {axis.name} has no values; give one at least, such as {axis.name}=1,2")
            for value in axis.values:
                if axis.values.count(value) > 1:
                    raise UserError(f"axis {axis.name} has the value {value} twice; each point must be another one")
        if self.seeds < 1:
            raise UserError(f"seeds is {self.seeds}; it must be at least 1")
        if len(self) > MOST_POINTS:
            raise UserError(f"the grid has {len(self):,} points; it must have at most {MOST_POINTS:,}")
        check_seed(self.seed)
        check_seed(self.seed + len(self) - 1)

    def __len__(self) -> int:
        return math.prod(self.sizes)

    def __iter__(self) -> Iterator[Point]:
        return map(self.point, range(len(self)))

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many values each digit has."""
        return (*(len(axis.values) for axis in self.axes), *([self.seeds] if self.seeds > 1 else []))

    def point(self, number: int) -> Point:
        """The point of this number; a UserError gives the bounds."""
        if not 0 <= number < len(self):
            raise UserError(f"point {number} is not on the grid; its points are 0 to {len(self) - 1}")
        places: list[int] = []
        rest = number
        for size in reversed(self.sizes):
            rest, place = divmod(rest, size)
            places.insert(0, place)
        settings = {axis.name: axis.values[place] for axis, place in zip(self.axes, places, strict=False)}
        separator = "" if max(self.sizes, default=0) <= 10 else "."
        return Point(number, separator.join(map(str, places)), settings, self.seed + number)


def paper_axes(recipe: Recipe) -> tuple[Axis, ...]:
    """The six axes of the paper, three values each, around the values of a recipe: 3^6 = 729 points.

    Published are the dropouts, the factor 2 of the learning rate and the factor 1.5 of the initial scale. The other
    three are ours: noise by a factor of 2; of the pull factor what is above 1, and of the threshold what is missing
    to 1, by a factor of 1.5.
    """
    values = setting_values(recipe)
    names = ("learning_rate", "initial_scale", "relaxation_pull_factor", "curriculum_threshold", "noise_scale")
    for name in (*names, "dropout"):
        if name not in values:
            raise UserError(f"the grid paper varies {name}, which this recipe does not have; use --recipe paper")
    rate, scale, pull, threshold, noise = (values[name] for name in names)
    if not noise:
        raise UserError("the grid paper varies noise_scale around the recipe's, which is 0; use --recipe paper")
    spreads = (
        _around(rate, 2),
        _around(scale, 1.5),
        [1 + above for above in _around(pull - 1, 1.5)],
        [1 - missing for missing in reversed(_around(1 - threshold, 1.5))],
        _around(noise, 2),
    )
    rounded = (tuple(float(f"{value:.4g}") for value in spread) for spread in spreads)
    return (*map(Axis, names, rounded), Axis("dropout", DROPOUTS))


GRIDS = {"paper": paper_axes}
"""Named grids, each a function of the recipe whose settings it varies."""


def named_axes(name: str, recipe: Recipe) -> tuple[Axis, ...]:
    """The axes of a named grid around a recipe.

    >>> from neuralgpu.training.recipes import get_recipe
    >>> len(Grid(named_axes("paper", get_recipe("paper"))))
    729
    """
    if name not in GRIDS:
        raise UserError(f"unknown grid {name!r}; {nearest(name, GRIDS)}")
    return GRIDS[name](recipe)


def _around(middle: float, factor: float) -> Sequence[float]:
    return (middle / factor, middle, middle * factor)
