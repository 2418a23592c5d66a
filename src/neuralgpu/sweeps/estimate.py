"""How long a sweep takes at most, from the measured time of its steps."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

from neuralgpu.sweeps.config import Sweep
from neuralgpu.sweeps.pruning import steps_left
from neuralgpu.training.config import configure, setting_values, with_settings
from neuralgpu.training.train import make_trainer

MEASURED_STEPS = 5


@dataclass(frozen=True)
class Estimate:
    """Hours of training; scoring comes on top."""

    points: int
    seconds_per_step: float
    """of the middle point, at the largest size of training"""
    steps: float
    """of all points together, if none ends before its last step"""
    parallel: int
    """trials at a time"""

    @property
    def hours(self) -> float:
        """Until all is done."""
        return self.steps * self.seconds_per_step / self.parallel / 3600


def estimate(sweep: Sweep, parallel: int) -> Estimate:
    """Measure some steps of the middle point, and multiply."""
    grid, config = sweep.config.points, sweep.config
    now = {point.number: (0, config.last_step(point)) for point in grid}
    steps = steps_left(now, decided=0, prune=config.prune)
    return Estimate(len(grid), seconds_per_step(sweep), steps, parallel)


def seconds_per_step(
    sweep: Sweep, count: int = MEASURED_STEPS, clock: Callable[[], float] = time.perf_counter
) -> float:
    """The median time of a step at the largest size, where steps are slowest; the first one is not counted."""
    point = sweep.config.points.point(len(sweep.config.points) // 2)
    recipe = with_settings(sweep.recipe, point.settings)
    if "curriculum_start" in setting_values(recipe):  # a start beyond the largest size is the largest
        largest = {"curriculum_start": 1000, "mixing": 0.0, "mixing_rule": "paper", "examples_per_size": 100}
        recipe = with_settings(recipe, largest)
    config = sweep.training(point)
    slow = configure(sweep.task, config.recipe, recipe, config.seed, config.engine, config.threads, config.device)
    trainer = make_trainer(slow, sweep.task)
    trainer.train_step()
    times = []
    for _ in range(count):
        begun = clock()
        trainer.train_step()
        times.append(clock() - begun)
    return statistics.median(times)
