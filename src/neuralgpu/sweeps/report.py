"""What a sweep found, at any time: every point as a row, the paper's statistic, the best points; as CSV, JSON and
Markdown, with a figure for each axis."""

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neuralgpu.errors import UserError
from neuralgpu.runs.files import write_atomically
from neuralgpu.sweeps.config import SweepConfig
from neuralgpu.sweeps.directory import SweepDirectory, writing
from neuralgpu.sweeps.grid import Point
from neuralgpu.sweeps.status import RETRIES, STATES, PointStatus, Status, read_status, standing_of

BEST = 5
"""Points that the Markdown report lists as the best."""


@dataclass(frozen=True)
class SweepReport:
    """What is known of a sweep."""

    directory: Path
    config: SweepConfig
    status: Status

    @property
    def ranked(self) -> list[PointStatus]:
        """The finished points, the best first."""
        finished = [point for point in self.status.points if point.result]
        return sorted(finished, key=standing_of, reverse=True)

    @property
    def best(self) -> list[Path]:
        """The run directories of the finished points, the best first."""
        return [self.path(point) for point in self.ranked]

    def path(self, point: PointStatus) -> Path:
        """The run directory of a point."""
        return SweepDirectory(self.directory).point(point.number).path

    def exact_counts(self, points: list[PointStatus] | None = None) -> dict[int, int]:
        """How many of the finished points make no error on random inputs, at each size: the paper's statistic."""
        some = self.ranked if points is None else points
        return {size: sum(is_exact(point.result, size) for point in some) for size in self.config.sizes}

    def by_axis(self) -> dict[str, dict[str, dict[str, Any]]]:
        """The same for each value of each axis, with how many points were finished, pruned or failed there."""
        return {axis.name: {str(v): self._at(axis.name, v) for v in axis.values} for axis in self.config.axes}

    def _at(self, axis: str, value: Any) -> dict[str, Any]:
        grid = self.config.points
        here = [point for point in self.status.points if grid.point(point.number).settings[axis] == value]
        finished = [point for point in here if point.result]
        states = {str(state): sum(point.state == state for point in here) for state in STATES}
        return {**states, "exact": {str(size): n for size, n in self.exact_counts(finished).items()}}

    def rows(self) -> list[dict[str, Any]]:
        """A row for each point: its place on the grid, its state and, where it is finished, its scores."""
        return [self._row(self.config.points.point(point.number), point) for point in self.status.points]

    def _row(self, place: Point, point: PointStatus) -> dict[str, Any]:
        scores = {f"exact at {size}": _share(point.result, size) for size in self.config.sizes}
        return {
            "point": place.number,
            "digits": place.digits,
            "seed": place.seed,
            **place.settings,
            "state": point.state,
            "steps": point.step,
            "minutes": round(point.seconds / 60, 2),
            "curriculum size": point.size,
            "exact in training": point.exact,
            **scores,
            "problem": point.problem,
        }

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data."""
        best = self.ranked[0] if self.ranked else None
        return {
            "task": self.config.task,
            "unit": self.config.unit,
            "recipe": self.config.recipe,
            "grid": self.config.grid,
            "axes": {axis.name: list(axis.values) for axis in self.config.axes},
            "seeds": self.config.seeds,
            "seed": self.config.seed,
            "total": len(self.status.points),
            **self.status.counts,
            "finished_and_exact": {str(size): count for size, count in self.exact_counts().items()},
            "by_axis": self.by_axis(),
            "best": best and best.number,
            "best_command": best and command_of(best),
            "points": self.rows(),
        }

    def csv(self) -> str:
        """The rows as CSV."""
        rows = self.rows()
        text = io.StringIO()
        writer = csv.DictWriter(text, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        return text.getvalue()

    def markdown(self, figures: Mapping[str, str] | None = None) -> str:
        """The report for people; `figures` are file names by axis."""
        counts, config = self.status.counts, self.config
        states = ", ".join(f"{count} {state}" for state, count in counts.items() if count)
        lines = [f"# Sweep of {config.task} by {config.recipe}", "", f"{len(self.status.points)} points: {states}.", ""]
        lines += _table(
            ["", *(f"{size} {config.unit}" for size in config.sizes)],
            [["finished points without an error", *(f"{n} of {counts['done']}" for n in self.exact_counts().values())]],
        )
        for axis, values in self.by_axis().items():
            heads = [axis, "finished", "pruned", "failed", *(f"exact at {size}" for size in config.sizes)]
            rows = [[v, at["done"], at["pruned"], at["failed"], *at["exact"].values()] for v, at in values.items()]
            lines += ["", f"## {axis}", "", *_table(heads, rows)]
            if axis in (figures or {}):
                lines += ["", f"![points without an error against {axis}]({(figures or {})[axis]})"]
        return "\n".join([*lines, *self._best_lines(), *self._failed_lines()]) + "\n"

    def _best_lines(self) -> list[str]:
        if not self.ranked:
            return []
        heads = ["point", *(axis.name for axis in self.config.axes), *(f"exact at {s}" for s in self.config.sizes)]
        rows = []
        for point in self.ranked[:BEST]:
            settings = self.config.points.point(point.number).settings
            shares = [_words(point.result, size) for size in self.config.sizes]
            rows.append([point.number, *settings.values(), *shares])
        command = f"    {command_of(self.ranked[0])}"
        return ["", "## Best points", "", *_table(heads, rows), "", "The first again:", "", command]

    def _failed_lines(self) -> list[str]:
        failed = [point for point in self.status.points if point.state == "failed"]
        rows = [[point.number, point.problem] for point in failed]
        return ["", "## Failed points", "", *_table(["point", "why"], rows)] if rows else []


def read_report(path: str | Path, retries: int = RETRIES) -> SweepReport:
    """The report on the sweep in a directory."""
    return SweepReport(Path(path), SweepDirectory(Path(path)).config, read_status(path, retries))


def write_report(report: SweepReport, out: Path) -> list[Path]:
    """Write report.csv, report.json, report.md and, where matplotlib is there, a figure for each axis."""
    with writing(out):
        out.mkdir(parents=True, exist_ok=True)
        figures = _write_figures(report, out)
        texts = {
            "report.csv": report.csv(),
            "report.json": json.dumps(report.to_dict(), indent=2) + "\n",
            "report.md": report.markdown({axis: path.name for axis, path in figures.items()}),
        }
        for name, text in texts.items():
            write_atomically(out / name, text.encode())
    return [*(out / name for name in texts), *figures.values()]


def _write_figures(report: SweepReport, out: Path) -> dict[str, Path]:
    try:
        from neuralgpu.view.axis_figure import axis_figure
        from neuralgpu.view.figures import save_figure
    except ModuleNotFoundError as error:
        if error.name != "matplotlib":
            raise
        return {}
    figures = {}
    for axis, values in report.by_axis().items():
        if len(values) > 1 and any(at["done"] for at in values.values()):
            figures[axis] = out / f"axis-{axis}.png"
            save_figure(axis_figure(axis, values, report.config.unit), figures[axis])
    return figures


def is_exact(result: Mapping[str, Any] | None, size: int) -> bool:
    """Whether a finished point made no error on random inputs of this size; one that was not asked errs before it."""
    return _share(result, size) == 1.0


def command_of(point: PointStatus) -> str:
    """The words at the terminal that train this point again."""
    if not point.result:
        raise UserError(f"point {point.number} is not finished")
    return str(point.result["command"])


def _random(result: Mapping[str, Any] | None, size: int) -> Mapping[str, Any] | None:
    scores = (result or {}).get("scores", [])
    return next((score for score in scores if score["inputs"] == "random" and score["size"] == size), None)


def _share(result: Mapping[str, Any] | None, size: int) -> float | None:
    score = _random(result, size)
    return score["exact"] / score["count"] if score else None


def _words(result: Mapping[str, Any] | None, size: int) -> str:
    score = _random(result, size)
    return f"{score['exact']}/{score['count']}" if score else "errs before"


def _table(heads: list[str], rows: list[list[Any]]) -> list[str]:
    lines = [heads, ["---"] * len(heads), *rows]
    return [f"| {' | '.join(str(cell).replace('|', '/') for cell in line)} |" for line in lines]
