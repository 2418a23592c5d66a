"""What figures are drawn from: metrics, scores and settings, read from run directories and score files."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter, ValidationError

from neuralgpu.errors import UserError, nearest
from neuralgpu.training.config import load_config, setting_values

Column = NDArray[np.float64]

NEEDED = ("step", "loss", "exact")
"""Metrics that every run has."""


@dataclass(frozen=True)
class Training:
    """The metrics of one run, a column for each name."""

    label: str
    columns: dict[str, Column]


@dataclass(frozen=True)
class Share:
    """The exact outputs at one length, as evaluation/score.py counts them."""

    inputs: Literal["random", "stress"]
    length: int
    count: int
    exact_share: float
    exact_bound_95: float | None


@dataclass(frozen=True)
class _ScoreFile:
    """What is used of evaluation.json and of the output of `ngpu evaluate --json`."""

    task: str
    scores: list[Share]


@dataclass(frozen=True)
class Accuracy:
    """The scores of one network."""

    label: str
    task: str
    shares: list[Share]


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
    length: int
    """of the inputs that were scored"""
    trials: list[Trial]
    unscored: list[Path]
    """runs without an evaluation, which are left out"""


def read_trainings(paths: Sequence[Path]) -> list[Training]:
    """The metrics of each run directory."""
    return [Training(label, _read_metrics(path)) for label, path in zip(labels(paths), paths, strict=True)]


def read_accuracies(paths: Sequence[Path]) -> list[Accuracy]:
    """The scores in each run directory or file."""
    accuracies = []
    for label, path in zip(labels(paths), paths, strict=True):
        scores = _read_scores(path / "evaluation.json" if path.is_dir() else path)
        accuracies.append(Accuracy(label, scores.task, scores.scores))
    return accuracies


def read_sweep(paths: Sequence[Path], setting: str) -> Sweep:
    """A setting of each run directory with its final score: random inputs at the longest length that all have."""
    values = [_read_setting(path, setting) for path in paths]
    tasks = [load_config(path / "config.json").task for path in paths]
    scored = {path: _random_shares(path) for path in paths if (path / "evaluation.json").exists()}
    if not scored:
        raise UserError(
            f"none of {len(paths)} runs has an evaluation.json; `ngpu train --resume DIR` evaluates a finished run"
        )
    common = set.intersection(*(set(shares) for shares in scored.values()))
    if not common:
        raise UserError("the runs have no length in common at which all of them were evaluated with random inputs")
    length = max(common)
    trials = [
        Trial(label, task, value, scored[path][length])
        for label, path, task, value in zip(labels(paths), paths, tasks, values, strict=True)
        if path in scored
    ]
    return Sweep(setting, length, trials, [path for path in paths if path not in scored])


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
    text = file.read_text() if file.exists() else ""
    # A run that goes on may have written half of its last line.
    lines = [line for line in text.splitlines(keepends=True) if line.endswith("\n")]
    if not lines:
        raise UserError(f"{path} has no metrics yet; let it train for ten steps at least")
    try:
        rows = TypeAdapter(list[dict[str, float]]).validate_json(f"[{','.join(lines)}]")
    except ValidationError as error:
        raise UserError(f"{file} is damaged: {error.errors()[0]['msg']}; each line must hold numbers by name") from None
    for name in NEEDED:
        if not all(name in row for row in rows):
            raise UserError(f"{file} is damaged: a line has no {name!r}")
    return {name: np.array([row.get(name, np.nan) for row in rows]) for name in rows[0]}


def _read_scores(file: Path) -> _ScoreFile:
    remedy = "name a run directory with an evaluation, or a file with the output of `ngpu evaluate --json`"
    try:
        scores = TypeAdapter(_ScoreFile).validate_json(file.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        raise UserError(f"{file} does not exist; {remedy}") from None
    except ValidationError as error:
        problem = error.errors()[0]
        place = ".".join(str(part) for part in problem["loc"])
        raise UserError(f"{file} holds no scores: {place + ': ' if place else ''}{problem['msg']}; {remedy}") from None
    if not scores.scores:
        raise UserError(f"{file} holds no scores, because the run was not evaluated; {remedy}")
    return scores


def _random_shares(path: Path) -> dict[int, float]:
    """The share of exact outputs for random inputs, by length."""
    shares = _read_scores(path / "evaluation.json").scores
    return {share.length: share.exact_share for share in shares if share.inputs == "random"}


def _read_setting(path: Path, setting: str) -> Any:
    values = setting_values(load_config(path / "config.json"))
    name = setting.replace("-", "_")
    if name not in values:
        raise UserError(f"{path} has no setting {setting!r}; {nearest(name, sorted(values))}")
    return values[name]
