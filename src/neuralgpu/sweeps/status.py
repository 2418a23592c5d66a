"""How far a sweep is, read from its directory alone: no engine is asked, and a running one is not disturbed."""

from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from neuralgpu.sweeps.directory import PointDirectory, SweepDirectory
from neuralgpu.sweeps.grid import Point
from neuralgpu.sweeps.pruning import RUNGS, steps_left

State = Literal["done", "running", "waiting", "pruned", "failed"]
STATES: tuple[State, ...] = ("done", "running", "waiting", "pruned", "failed")
RETRIES = 2
"""Retries after which a point counts as failed, unless a caller says otherwise."""


@dataclass(frozen=True)
class PointStatus:
    """How far a point is."""

    number: int
    state: State
    step: int
    last_step: int
    seconds: float
    """spent in training, over all machines and resumptions"""
    size: float | None
    """that the curriculum has reached"""
    exact: float | None
    """share of exact outputs in training"""
    result: dict[str, Any] | None
    problem: str | None
    """why it failed, or why it is tried again"""


@dataclass(frozen=True)
class Status:
    """How far a sweep is."""

    directory: str
    task: str
    recipe: str
    points: tuple[PointStatus, ...]
    seconds_left: float | None
    """at most, as fast as the points that are running now; None where nothing tells"""

    @property
    def counts(self) -> dict[str, int]:
        """How many points are in each state."""
        found = Counter(point.state for point in self.points)
        return {state: found[state] for state in STATES}

    @property
    def best(self) -> PointStatus | None:
        """The best point so far; None before any has begun."""
        begun = [point for point in self.points if point.result or point.exact is not None]
        return max(begun, key=standing_of, default=None)

    def to_dict(self) -> dict[str, Any]:
        """The status as plain data."""
        best = self.best
        return {
            "directory": self.directory,
            "task": self.task,
            "recipe": self.recipe,
            "total": len(self.points),
            **self.counts,
            "seconds_left": self.seconds_left,
            "best": best and best.number,
            "points": [asdict(point) for point in self.points],
        }


def read_status(path: str | Path, retries: int = RETRIES) -> Status:
    """The status of the sweep in a directory."""
    directory = SweepDirectory(Path(path))
    config, pruned = directory.config, directory.pruned()
    points = tuple(
        _status(directory.point(point.number), point, config.last_step(point), point.number in pruned, retries)
        for point in config.points
    )
    decided = max((rung for rung in RUNGS if directory.rung(rung)), default=0)
    now = {point.number: (point.step, point.last_step) for point in points if point.state in ("running", "waiting")}
    steps = steps_left(now, decided, config.prune)
    return Status(str(path), config.task, config.recipe, points, _seconds_left(points, steps))


def standing_of(point: PointStatus) -> tuple[Any, ...]:
    """What makes a point better than another: scores if it has any, then size and exact outputs in training."""
    scores = (point.result or {}).get("scores", [])
    random = [score for score in scores if score["inputs"] == "random"]
    exact = sum(score["exact"] == score["count"] for score in random)
    last = random[-1] if random else {"exact": 0, "count": 1, "right": 0, "symbols": 1}
    stress = sum(score["exact"] / score["count"] for score in scores if score["inputs"] == "stress")
    return (
        bool(point.result),
        exact,
        last["exact"] / last["count"],
        last["right"] / last["symbols"],
        stress,
        point.size or 0,
        point.exact or 0,
        -point.number,
    )


def _status(directory: PointDirectory, point: Point, last_step: int, pruned: bool, retries: int) -> PointStatus:
    result = directory.result()
    lines = directory.metrics()
    last: dict[str, float] = lines[-1] if lines else {}
    problems = [] if result else [*directory.deaths(), *directory.failures()]
    state: State = "waiting"
    if result:
        state = "done"
    elif pruned:
        state = "pruned"
    elif directory.given_up(retries):
        state = "failed"
    elif directory.is_locked():
        state = "running"
    return PointStatus(
        number=point.number,
        state=state,
        step=int(last.get("step", 0)),
        last_step=last_step,
        seconds=float(last.get("seconds", 0.0)),
        size=last.get("size"),
        exact=last.get("exact"),
        result=result,
        problem=problems[-1] if problems else None,
    )


def _seconds_left(points: tuple[PointStatus, ...], steps: float) -> float | None:
    """The steps at the mean pace of all points so far, shared by those that run now."""
    if not steps:
        return 0.0
    trained = sum(point.step for point in points)
    running = sum(point.state == "running" for point in points)
    if not trained or not running:
        return None
    return round(steps * sum(point.seconds for point in points) / trained / running, 1)
