"""What figures are drawn from: metrics, scores and settings, read from run directories and score files."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter, ValidationError

from neuralgpu.errors import UserError, nearest
from neuralgpu.evaluation.report import Report
from neuralgpu.runs.config import load_config, setting_values
from neuralgpu.runs.files import check_file, read_bytes

Column = NDArray[np.float64]

NEEDED = ("step", "loss", "exact")
"""Metrics that every run has."""


@dataclass(frozen=True)
class Training:
    """The metrics of one run, a column for each name."""

    label: str
    columns: dict[str, Column]


@dataclass(frozen=True)
class Accuracy:
    """The scores of one network."""

    label: str
    report: Report


@dataclass(frozen=True)
class Trial:
    """The value of a setting in one run, and the score that the run ended with."""

    label: str
    task: str
    value: Any
    share: float


@dataclass(frozen=True)
class Sweep:
    """Runs that differ in a setting."""

    setting: str
    sizes: tuple[str, ...]
    """of the inputs that were scored, such as 200 bits: one for the runs of each task"""
    trials: list[Trial]
    unscored: list[Path]
    """runs without an evaluation, which are left out"""


def read_trainings(paths: Sequence[Path]) -> list[Training]:
    """The metrics of each run directory."""
    return [Training(label, _read_metrics(path)) for label, path in zip(labels(paths), paths, strict=True)]


def read_accuracies(paths: Sequence[Path]) -> list[Accuracy]:
    """The scores in each run directory or file."""
    return [
        Accuracy(label, _read_report(path / "evaluation.json" if path.is_dir() else path))
        for label, path in zip(labels(paths), paths, strict=True)
    ]


def read_sweep(paths: Sequence[Path], setting: str) -> Sweep:
    """A setting of each run directory with its final score: random inputs at the largest size that all runs of its
    task have."""
    values = [read_setting(path, setting) for path in paths]
    scored = {path: _read_report(path / "evaluation.json") for path in paths if (path / "evaluation.json").exists()}
    if not scored:
        raise UserError(
            f"none of {len(paths)} runs has an evaluation.json; `ngpu train --resume DIR` evaluates a finished run"
        )
    tasks = {report.task: report.unit for report in scored.values()}
    sizes = {task: _common_size(task, [report for report in scored.values() if report.task == task]) for task in tasks}
    trials = [
        Trial(label, scored[path].task, value, random_shares(scored[path])[sizes[scored[path].task]])
        for label, path, value in zip(labels(paths), paths, values, strict=True)
        if path in scored
    ]
    words = dict.fromkeys(f"{sizes[task]} {unit}" for task, unit in tasks.items())
    return Sweep(setting, tuple(words), trials, [path for path in paths if path not in scored])


def labels(paths: Sequence[Path]) -> list[str]:
    """A short name for each path: the last part of it, or all of it where that is not enough.

    >>> labels([Path("runs/a"), Path("runs/b"), Path("old/b"), Path("runs/c/evaluation.json")])
    ['a', 'runs/b', 'old/b', 'c']
    """
    named = [path.resolve().parent if path.name == "evaluation.json" else path.resolve() for path in paths]
    names = [path.stem if path.suffix == ".json" else path.name for path in named]
    return [name if names.count(name) == 1 else str(path) for name, path in zip(names, paths, strict=True)]


def _read_metrics(path: Path) -> dict[str, Column]:
    load_config(path / "config.json")  # says so if this is no run directory
    file = path / "metrics.jsonl"
    content = read_bytes(file) if file.exists() else b""
    # A run that goes on may have written half of its last line.
    lines = [line for line in content.splitlines(keepends=True) if line.endswith(b"\n")]
    if not file.exists() and (path / "evaluation.json").exists():
        raise UserError(f"{path} has scores and no training curve, as shipped networks do; draw it with --accuracy")
    if not lines:
        raise UserError(f"{path} has no metrics yet; let it train for ten steps at least")
    try:
        rows = TypeAdapter(list[dict[str, float]]).validate_json(b"[" + b",".join(lines) + b"]")
    except ValidationError as error:
        raise UserError(f"{file} is damaged: {error.errors()[0]['msg']}; each line must hold numbers by name") from None
    for name in NEEDED:
        if not all(name in row for row in rows):
            raise UserError(f"{file} is damaged: a line has no {name!r}")
    return {name: np.array([row.get(name, np.nan) for row in rows]) for name in rows[0]}


def _read_report(file: Path) -> Report:
    remedy = "name a run directory with an evaluation, or a file with the output of `ngpu evaluate --json`"
    try:
        check_file(file)
        report = Report.from_dict(json.loads(file.read_bytes()))
    except (FileNotFoundError, NotADirectoryError):
        raise UserError(f"{file} does not exist; {remedy}") from None
    except UserError as error:
        raise UserError(f"{file} holds no scores: {error}; {remedy}") from None
    except (ValueError, RecursionError) as error:
        raise UserError(f"{file} holds no scores, because it is not valid JSON: {error}; {remedy}") from None
    if not report.scores:
        raise UserError(f"{file} holds no scores, because the run was not evaluated; {remedy}")
    return report


def _common_size(task: str, reports: Sequence[Report]) -> int:
    """The largest size at which all of these were evaluated with random inputs."""
    common = set.intersection(*(set(random_shares(report)) for report in reports))
    if not common:
        raise UserError(
            f"the runs of {task} have no size in common at which all of them were evaluated with random inputs"
        )
    return max(common)


def random_shares(report: Report) -> dict[int, float]:
    """The share of exact outputs for random inputs, by size."""
    return {score.size: score.exact_share for score in report.scores if score.inputs != "stress"}


def read_setting(path: Path, setting: str) -> Any:
    """The value of a setting in a run directory; a UserError names the nearest one that there is."""
    values = setting_values(load_config(path / "config.json"))
    name = setting.replace("-", "_")
    if name not in values:
        raise UserError(f"{path} has no setting {setting!r}; {nearest(name, sorted(values))}")
    return values[name]
