"""What a sweep is, checked before anything starts: a task, a recipe, a grid and how its networks are scored."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from neuralgpu.engine import EngineChoice
from neuralgpu.engine.compute import choose_compute
from neuralgpu.errors import UserError
from neuralgpu.evaluation.sizes import checked_sizes
from neuralgpu.sweeps.grid import Axis, Grid, Point, named_axes
from neuralgpu.sweeps.values import checked_axes, checked_settings
from neuralgpu.tasks import Alphabet, Task
from neuralgpu.training.config import TrainConfig, configure, setting_values, with_settings
from neuralgpu.training.recipes import get_recipe
from neuralgpu.training.recipes.recipe import Recipe

FORMAT = 1
PAPER_CELLS = (41, 81, 401, 4001)
"""Tapes of the paper's statistic: 20, 40, 200 and 2000 bits."""


@dataclass(frozen=True)
class SweepConfig:
    """What sweep.json holds: all that decides the results, and what a report needs to read them."""

    task: str
    alphabet: Alphabet
    unit: str
    """what sizes count"""
    recipe: str
    settings: Mapping[str, Any]
    """every setting of the recipe that the axes leave alone"""
    grid: str
    """the name of the grid; empty where axes were given"""
    axes: tuple[Axis, ...]
    seeds: int
    seed: int
    """the base seed"""
    sizes: tuple[int, ...]
    """of the inputs that score a network, in the task's unit"""
    count: int
    """random inputs at each"""
    prune: bool
    compute: str
    """the engine that computes steps"""
    device: str
    threads: int
    """CPU threads of each training as it was begun; results do not depend on it"""
    format: int = FORMAT

    @property
    def points(self) -> Grid:
        """The grid itself."""
        return Grid(self.axes, self.seeds, self.seed)

    def last_step(self, point: Point) -> int:
        """The last step of a point's training; where attempts follow each other, that of the first."""
        values = {**self.settings, **point.settings}
        if "max_steps" in values:
            return int(values["max_steps"])
        return int(values["fit.steps"] + (values["harden.steps"] if values["harden.when_exact"] else 0))

    def to_json(self) -> str:
        """The text of sweep.json."""
        return json.dumps(asdict(self), indent=2) + "\n"


@dataclass(frozen=True)
class Sweep:
    """A sweep that can be run: what sweep.json holds, with the objects that it names."""

    task: Task
    recipe: Recipe
    """with the settings that all points share"""
    config: SweepConfig

    def training(self, point: Point) -> TrainConfig:
        """The configuration of a point's training."""
        recipe = with_settings(self.recipe, point.settings)
        config = self.config
        compute: Any = config.compute
        return configure(self.task, config.recipe, recipe, point.seed, compute, config.threads, config.device)


def make_sweep(
    task: Task,
    axes: Mapping[str, Sequence[Any]],
    recipe: str = "paper",
    *,
    grid: str = "",
    seeds: int = 1,
    seed: int = 0,
    prune: bool = True,
    compute: EngineChoice = "auto",
    device: str = "cpu",
    threads: int = 1,
    sizes: Sequence[int] | None = None,
    count: int = 100,
    settings: Mapping[str, Any] | None = None,
) -> Sweep:
    """A sweep of which every point can be trained; a UserError names what is unknown or impossible."""
    if grid and axes:
        raise UserError(f"the grid {grid} has axes of its own; give either a grid or axes")
    if not (grid or axes or seeds > 1):
        raise UserError(
            "a sweep needs a grid, axes, or several seeds; give --grid paper or --axis learning_rate=1e-3,2e-3"
        )
    if threads < 1:
        raise UserError(f"threads is {threads}; it must be at least 1, because trainings share the cores")
    if count < 1:
        raise UserError(f"evaluate_count is {count}; it must be at least 1, because a sweep compares scores")
    base = get_recipe(recipe)
    base = with_settings(base, checked_settings(base, settings or {}))
    chosen = named_axes(grid, base) if grid else checked_axes(base, axes)
    for axis in chosen:
        if axis.name in (settings or {}):
            raise UserError(f"{axis.name} is an axis of the grid, so it cannot be set for all points too")
    shared = {name: value for name, value in setting_values(base).items() if name not in {a.name for a in chosen}}
    engine = choose_compute(base.model.native_obstacle(), compute, threads, device).engine
    config = SweepConfig(
        task=task.name,
        alphabet=task.alphabet,
        unit=task.unit,
        recipe=recipe,
        settings=shared,
        grid=grid,
        axes=chosen,
        seeds=seeds,
        seed=seed,
        sizes=tuple(checked_sizes(task, paper_sizes(task) if sizes is None else sizes)),
        count=count,
        prune=prune,
        compute=engine,
        device=device,
        threads=threads,
    )
    sweep = Sweep(task, base, config)
    for point in config.points:
        choose_compute(sweep.training(point).network.model.native_obstacle(), engine, threads, device)
    return sweep


def paper_sizes(task: Task) -> list[int]:
    """The sizes of the paper's statistic.

    >>> from neuralgpu.tasks import get_task
    >>> paper_sizes(get_task("badd"))
    [20, 40, 200, 2000]
    """
    return sorted({max(1, task.largest_size(cells)) for cells in PAPER_CELLS})
