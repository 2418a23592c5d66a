"""Figures of runs: training curves, exact accuracy against size, final score against a setting."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import cycle, product
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator, PercentFormatter

from neuralgpu.errors import UserError
from neuralgpu.evaluation.report import Report
from neuralgpu.evaluation.sizes import training_size
from neuralgpu.tasks import get_task
from neuralgpu.view.files import check_path, writing
from neuralgpu.view.records import Accuracy, Column, Sweep, Training, Trial

SUFFIXES = (".png", ".svg")
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#000000", "#8c8c8c")
"""Okabe and Ito's, which every kind of colour vision tells apart; yellow, too pale for a line, is replaced by grey."""
LINES = ("-", "--", ":", "-.")
MARKERS = "osD^v"
LEGEND_COLUMNS = 3
SMOOTHED = 10
"""Lines of metrics that a curve averages; the single ones are faint."""
TICK_GAP = 0.06
"""Of an axis, between the places of two numbers that are written under it."""
STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",  # text stays text, so that it can be searched and read aloud
    "svg.hashsalt": "neuralgpu",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e3e6ea",
    "legend.frameon": False,
}


def save_figure(figure: Figure, path: Path) -> None:
    """Write a figure as .png or .svg; the same figure gives the same bytes."""
    check_path(path, SUFFIXES)
    dated = {"Date": None} if path.suffix.lower() == ".svg" else {}
    with matplotlib.rc_context(STYLE), writing(path) as part:
        figure.savefig(part, dpi=160, metadata=dated)


def training_figure(trainings: Sequence[Training]) -> Figure:
    """Loss, exact share and, where a curriculum grows, size against the step, a line for each run."""
    names = ["loss", "exact"] + ["size"] * any("size" in training.columns for training in trainings)
    words = {"loss": "loss", "exact": "exact outputs in training", "size": "size in the curriculum"}
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(7.5, 2.0 * len(names) + 0.6), layout="constrained")
        panels = figure.subplots(len(names), 1, sharex=True)
        for panel, name in zip(panels, names, strict=True):
            for training, (colour, line) in zip(trainings, _looks(LINES), strict=False):
                if name in training.columns:
                    _draw_curve(panel, training, name, colour, line)
            panel.set_ylabel(words[name])
        panels[0].set_yscale("log")
        percent_axis(panels[1])
        panels[-1].set_xlabel("step")
        _add_legend(figure, panels[0].get_legend_handles_labels()[0])
    return figure


def accuracy_figure(accuracies: Sequence[Accuracy]) -> Figure:
    """The share of exact outputs against the size of the input, down to its 95 % bound; stress inputs are hollow."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(7.5, 4.2), layout="constrained")
        panel = figure.subplots()
        for accuracy, (colour, marker) in zip(accuracies, _looks(MARKERS), strict=False):
            _draw_accuracy(panel, accuracy, colour, marker)
        reports = [accuracy.report for accuracy in accuracies]
        sizes = sorted({score.size for report in reports for score in report.scores})
        size_axis(panel, sizes)
        _draw_training_sizes(panel, reports)
        panel.set_xlabel(f"size in {' or '.join(dict.fromkeys(report.unit for report in reports))}")
        panel.set_ylabel("exact outputs")
        percent_axis(panel)
        stress = Line2D([], [], color="#6a6f76", ls="--", lw=1, marker="o", mfc="white", label="stress inputs")
        bound = Patch(color="#6a6f76", alpha=0.2, linewidth=0, label="down to the 95 % bound")
        _add_legend(figure, [*panel.get_legend_handles_labels()[0], stress, bound])
    return figure


def sweep_figure(sweep: Sweep) -> Figure:
    """The final score of each run against one of its settings, with the mean of a task's runs at each value."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(7.5, 4.2), layout="constrained")
        panel = figure.subplots()
        values = _sorted_values([trial.value for trial in sweep.trials])
        places = _places(values)
        tasks = sorted({trial.task for trial in sweep.trials})
        for task, (colour, marker) in zip(tasks, _looks(MARKERS), strict=False):
            trials = [trial for trial in sweep.trials if trial.task == task]
            _draw_trials(panel, trials, places, _are_numbers(values), colour, marker)
        if _are_numbers(values) and min(values) > 0 and max(values) > 20 * min(values):
            panel.set_xscale("log")
        panel.set_xticks(list(places.values()), list(places))
        panel.minorticks_off()
        panel.margins(x=0.08)
        panel.set_xlabel(sweep.setting)
        panel.set_ylabel(f"exact outputs at {', '.join(sweep.sizes)}")
        percent_axis(panel)
        _add_legend(figure, panel.get_legend_handles_labels()[0])
    return figure


def _draw_curve(panel: Axes, training: Training, name: str, colour: str, line: str) -> None:
    steps, values = training.columns["step"], training.columns[name]
    if name == "size":
        panel.step(steps, values, where="post", color=colour, linestyle=line)
        panel.yaxis.set_major_locator(MaxNLocator(integer=True))
        return
    panel.plot(steps, values, color=colour, linewidth=0.8, alpha=0.25)
    panel.plot(steps, running_mean(values), color=colour, linestyle=line, label=training.label)


def spaced(sizes: Sequence[int], log: bool) -> list[int]:
    """The sizes that can be written under an axis without touching each other, the first and the last among them.

    >>> spaced([45, 49, 205, 401, 409, 4005], log=True)
    [45, 205, 401, 4005]
    """
    places = np.log(sizes) if log else np.asarray(sizes, dtype=float)
    gap = TICK_GAP * (places[-1] - places[0])
    kept = [0]
    for k in range(1, len(places)):
        is_last = k == len(places) - 1
        if places[k] - places[kept[-1]] >= gap and (is_last or places[-1] - places[k] >= gap):
            kept.append(k)
    return [sizes[k] for k in kept]


def running_mean(values: Column, width: int = SMOOTHED) -> Column:
    """The mean of each value and those before it, of at most `width` values.

    >>> running_mean(np.array([1.0, 3.0, 5.0]), width=2).tolist()
    [1.0, 2.0, 4.0]
    """
    sums = np.concatenate([[0.0], np.cumsum(values)])
    ends = np.arange(1, len(sums))
    starts = np.maximum(ends - width, 0)
    means: Column = (sums[ends] - sums[starts]) / (ends - starts)
    return means


def _draw_accuracy(panel: Axes, accuracy: Accuracy, colour: str, marker: str) -> None:
    scores = sorted(accuracy.report.scores, key=lambda score: score.size)
    random, stress = ([score for score in scores if (score.inputs == "stress") == hard] for hard in (False, True))
    sizes = [score.size for score in random]
    exact = [score.exact_share for score in random]
    bounds = [score.exact_bound or 0.0 for score in random]
    panel.fill_between(sizes, bounds, exact, color=colour, alpha=0.15, linewidth=0)
    label = f"{accuracy.label} ({accuracy.report.task})"
    panel.plot(sizes, exact, marker=marker, color=colour, label=label, clip_on=False)
    panel.plot(
        [score.size for score in stress],
        [score.exact_share for score in stress],
        marker=marker,
        markerfacecolor="white",
        linestyle="--",
        linewidth=1,
        color=colour,
        clip_on=False,
    )


def _draw_training_sizes(panel: Axes, reports: Sequence[Report]) -> None:
    """A line at the largest size in training: one for all tasks that share it, none for a task that is not known."""
    tasks: dict[int, list[str]] = {}
    for name in dict.fromkeys(report.task for report in reports):
        with suppress(UserError):
            tasks.setdefault(training_size(get_task(name)), []).append(name)
    tasks.pop(0, None)  # a task that has no input so short
    for number, (size, names) in enumerate(sorted(tasks.items())):
        panel.axvline(size, color="#8c8c8c", linewidth=1, linestyle=":")
        words = "longest in training" + (f" ({', '.join(names)})" if len(tasks) > 1 else "")
        panel.get_xlim()  # brings the limits, and with them the transformation, up to date
        is_right = panel.transAxes.inverted().transform(panel.transData.transform((size, 0)))[0] > 0.5
        panel.annotate(
            f"{words} " if is_right else f" {words}",
            (size, 0.05 * number),  # one above the other
            color="#6a6f76",
            fontsize=9,
            va="bottom",
            ha="right" if is_right else "left",
        )


def _draw_trials(
    panel: Axes, trials: Sequence[Trial], places: dict[str, float], ordered: bool, colour: str, marker: str
) -> None:
    """Each run as a hollow marker; the means as a line where the values have an order, else as dashes."""
    at = np.array([places[str(trial.value)] for trial in trials])
    shares = np.array([trial.share for trial in trials])
    label = f"{trials[0].task}, {len(trials)} runs"
    panel.plot(at, shares, marker, color=colour, markerfacecolor="none", label=label, clip_on=False)
    means = [shares[at == place].mean() for place in np.unique(at)]
    look = {"linestyle": "-"} if ordered else {"linestyle": "none", "marker": "_", "markersize": 28}
    panel.plot(np.unique(at), means, color=colour, label="their mean", clip_on=False, **look)


def _looks(kinds: Sequence[str]) -> Iterator[tuple[str, str]]:
    """A colour for each line, and another kind of line or marker when the colours begin again."""
    return cycle((colour, kind) for kind, colour in product(kinds, COLOURS))


def size_axis(panel: Axes, sizes: Sequence[int]) -> None:
    """Sizes along the axis, logarithmically where they lie far apart, with a number wherever there is room."""
    if sizes[-1] > 8 * sizes[0]:
        panel.set_xscale("log")
    ticks = spaced(sizes, panel.get_xscale() == "log")
    panel.set_xticks(ticks, [str(size) for size in ticks])
    panel.minorticks_off()


def percent_axis(panel: Axes) -> None:
    """Shares from nothing to everything, in percent."""
    panel.set_ylim(0, 1.02)
    panel.yaxis.set_major_formatter(PercentFormatter(xmax=1))


def _add_legend(figure: Figure, handles: Sequence[Artist]) -> None:
    """Above the panels, where it hides nothing."""
    figure.legend(handles=list(handles), loc="outside upper left", ncols=min(len(handles), LEGEND_COLUMNS), fontsize=9)


def _sorted_values(values: Sequence[Any]) -> list[Any]:
    """Every value once: numbers by size, others by name."""
    distinct = list({str(value): value for value in values}.values())
    return sorted(distinct) if _are_numbers(distinct) else sorted(distinct, key=str)


def _places(values: Sequence[Any]) -> dict[str, float]:
    """Where each value stands on the axis, by its text: numbers at themselves, others side by side."""
    numbers = values if _are_numbers(values) else range(len(values))
    return {str(value): float(number) for value, number in zip(values, numbers, strict=True)}


def _are_numbers(values: Sequence[Any]) -> bool:
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
