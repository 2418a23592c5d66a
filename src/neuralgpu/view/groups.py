"""Runs that differ in a setting, grouped by its value: exact accuracy against size, each seed and the mean."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from neuralgpu.errors import UserError
from neuralgpu.view.figures import COLOURS, MARKERS, STYLE, percent_axis, size_axis
from neuralgpu.view.records import Accuracy, random_shares, read_accuracies, read_setting

PANELS_ACROSS = 3


@dataclass(frozen=True)
class Group:
    """Runs of one task with one value of a setting."""

    value: Any
    task: str
    unit: str
    runs: list[Accuracy]

    def means(self) -> dict[int, float]:
        """The mean share of exact outputs for random inputs, at each size that all of the runs were asked."""
        shares = [random_shares(run.report) for run in self.runs]
        common = sorted(set.intersection(*map(set, shares)))
        return {size: float(np.mean([share[size] for share in shares])) for size in common}


def read_groups(paths: Sequence[Path], setting: str) -> tuple[list[Group], list[Path]]:
    """The scored runs among these, grouped by task and by the value of a setting; and those without an evaluation.

    A UserError says so where no run is scored, or a run has no such setting.
    """
    values = {path: read_setting(path, setting) for path in paths}
    scored = [path for path in paths if (path / "evaluation.json").exists()]
    if not scored:
        raise UserError(
            f"none of {len(paths)} runs has an evaluation.json; `ngpu train --resume DIR` evaluates a finished run"
        )
    groups: dict[tuple[str, str], Group] = {}
    for path, accuracy in zip(scored, read_accuracies(scored), strict=True):
        task, value = accuracy.report.task, values[path]
        group = groups.setdefault((task, str(value)), Group(value, task, accuracy.report.unit, []))
        group.runs.append(accuracy)
    return list(groups.values()), [path for path in paths if path not in scored]


def groups_figure(setting: str, groups: Sequence[Group]) -> Figure:
    """A panel for each task, in its own unit: a line with markers for each group's mean, faint ones for its runs."""
    tasks = list(dict.fromkeys(group.task for group in groups))
    values = list(dict.fromkeys(str(group.value) for group in groups))
    with matplotlib.rc_context(STYLE):
        across = min(len(tasks), PANELS_ACROSS)
        down = -(-len(tasks) // across)
        figure = Figure(figsize=(max(6.0, 4.5 * across), 3.8 * down), layout="constrained")
        panels = [figure.add_subplot(down, across, number + 1) for number in range(len(tasks))]
        for panel, task in zip(panels, tasks, strict=True):
            ours = [group for group in groups if group.task == task]
            for group in ours:
                place = values.index(str(group.value))
                _draw(panel, group, setting, COLOURS[place % len(COLOURS)], MARKERS[place % len(MARKERS)])
            sizes = sorted({size for group in ours for run in group.runs for size in random_shares(run.report)})
            size_axis(panel, sizes)
            panel.set_xlabel(f"size in {ours[0].unit}")
            panel.set_title(task, fontsize=10)
            percent_axis(panel)
            panel.legend(fontsize=8, loc="best")
        for panel in panels[::across]:
            panel.set_ylabel("exact outputs, random inputs")
    return figure


def _draw(panel: Axes, group: Group, setting: str, colour: str, marker: str) -> None:
    for run in group.runs:
        sizes, shares = zip(*sorted(random_shares(run.report).items()), strict=True)
        panel.plot(sizes, shares, color=colour, linewidth=0.8, alpha=0.35, clip_on=False)
    means = group.means()
    label = f"{setting} {group.value}, {len(group.runs)} run{'s' * (len(group.runs) > 1)}"
    panel.plot(list(means), list(means.values()), marker=marker, color=colour, label=label, clip_on=False)
