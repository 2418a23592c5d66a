"""A figure of a sweep: how many of the points at each value of an axis make no error, at each size."""

from collections.abc import Mapping
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from neuralgpu.view.figures import COLOURS, MARKERS, STYLE


def axis_figure(axis: str, values: Mapping[str, Mapping[str, Any]], unit: str) -> Figure:
    """The share of finished points without an error against the value of a setting, a line for each size.

    `values` gives for each value, in order, how many points are `done` and, in `exact`, how many of them make no error
    by size. Under each value stands how many points that is.
    """
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(7.5, 3.6), layout="constrained")
        panel = figure.subplots()
        scored = {value: at for value, at in values.items() if at["done"]}
        places = {value: place for place, value in enumerate(values)}
        sizes = list(next(iter(scored.values()))["exact"])
        for number, size in enumerate(sizes):
            panel.plot(
                [places[value] for value in scored],
                [at["exact"][size] / at["done"] for at in scored.values()],
                marker=MARKERS[number % len(MARKERS)],
                color=COLOURS[number % len(COLOURS)],
                label=f"{size} {unit}",
                clip_on=False,
            )
        names = [f"{value}\n{at['done']} finished" for value, at in values.items()]
        panel.set_xticks(list(places.values()), names)
        panel.set_xlim(-0.3, len(values) - 0.7)
        panel.set_xlabel(axis)
        panel.set_ylabel("points without an error")
        panel.set_ylim(0, 1.02)
        panel.yaxis.set_major_formatter(matplotlib.ticker.PercentFormatter(xmax=1))
        figure.legend(loc="outside upper left", ncols=len(sizes), fontsize=9)
    return figure
