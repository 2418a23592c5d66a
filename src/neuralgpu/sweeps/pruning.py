"""Successive halving: at an eighth, a quarter and a half of the training the worse half of the points ends.

Points are compared by the size that their curriculum has reached, then by the share of exact outputs; where a training
has no curriculum, by the latter alone. All points come to a rung before it is decided, so that the decision does not
depend on the order in which machines finish, and a sweep that is run again decides alike.
"""

import math
from collections.abc import Mapping
from typing import Any

from neuralgpu.sweeps.directory import PointDirectory
from neuralgpu.training.loop import METRICS_EVERY

RUNGS = {1: 1 / 8, 2: 1 / 4, 3: 1 / 2}
"""Share of the steps at which each rung stands."""
JUDGED_LINES = 10
"""Lines of metrics, of ten steps each, whose exact outputs are averaged."""
KEPT = 5
"""Points that are left at least: as many as the paper's ensembles have."""
MASTERED = 0.99
"""Share of exact outputs at the largest size from which no point is hopeless."""

Standing = tuple[float, float]
"""The size that a curriculum has reached, and the share of exact outputs."""
FINISHED: Standing = (math.inf, 1.0)


def rung_step(last_step: int, rung: int) -> int:
    """The step of a rung: one at which a line of metrics is written.

    >>> rung_step(20_000, 1), rung_step(100, 1)
    (2500, 20)
    """
    return min(last_step, math.ceil(last_step * RUNGS[rung] / METRICS_EVERY) * METRICS_EVERY)


def standing(directory: PointDirectory, step: int) -> Standing:
    """How far a point was at a step, from its metrics; what came later does not count."""
    lines = [line for line in directory.metrics() if line["step"] <= step][-JUDGED_LINES:]
    if not lines:
        return (0.0, 0.0)
    return lines[-1].get("size", 0.0), sum(line["exact"] for line in lines) / len(lines)


def judge(standings: Mapping[int, Standing]) -> list[int]:
    """The numbers of the points that end here: those worse than the middle that have not mastered the largest size.

    At least five are left.

    >>> judge({0: (3, 0.1), 1: (9, 0.5), 2: (3, 0.2), 3: (20, 1.0), 4: (5, 0.5), 5: (6, 0.9), 6: (7, 0.3), 7: (8, 0)})
    [0, 2, 4]
    """
    order = sorted(standings, key=lambda number: (standings[number], -number))
    if len(order) <= KEPT:
        return []
    middle = standings[order[len(order) // 2]]
    largest = max(size for size, _ in standings.values() if size < math.inf) if middle < FINISHED else 0.0
    worse = [
        number
        for number in order[: len(order) - KEPT]
        if standings[number] < middle and not (standings[number][0] == largest and standings[number][1] >= MASTERED)
    ]
    return sorted(worse)


def verdict(rung: int, standings: Mapping[int, Standing]) -> dict[str, Any]:
    """What is kept of a decision."""
    shown = {str(number): list(where) for number, where in standings.items() if where != FINISHED}
    return {"rung": rung, "share": RUNGS[rung], "standings": shown, "pruned": judge(standings)}


def steps_left(now: Mapping[int, tuple[int, int]], decided: int, prune: bool) -> float:
    """Steps that are still to do, of points given as (step, last step), if each rung ahead ends half of them.

    >>> points = {number: (0, 800) for number in range(100)}
    >>> steps_left(points, decided=0, prune=False), steps_left(points, decided=0, prune=True)
    (80000.0, 25000.0)
    """
    shares = [share for rung, share in RUNGS.items() if rung > decided] if prune else []
    left, alive, before = 0.0, 1.0, 0.0
    least = min(1.0, KEPT / len(now)) if now else 1.0
    for share in (*shares, 1.0):
        left += alive * sum(max(0.0, share * last - max(step, before * last)) for step, last in now.values())
        alive, before = max(alive / 2, least), share
    return left
