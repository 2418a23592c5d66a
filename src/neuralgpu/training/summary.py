"""What a run directory says about itself at a glance: what was trained, what differs from its recipe, how it ended."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from neuralgpu.errors import UserError
from neuralgpu.evaluation.report import Report, Score
from neuralgpu.runs.config import RunConfig, load_config, read_json, setting_values
from neuralgpu.tasks import ForeignTask, open_task
from neuralgpu.training import config as training
from neuralgpu.training.recipes import RECIPES, get_recipe


@dataclass(frozen=True)
class RunSummary:
    """One run; what is not known is None."""

    path: Path
    task: str = ""
    unit: str = "symbols"
    recipe: str = ""
    changes: Mapping[str, Any] = field(default_factory=dict)
    """the settings that differ from the recipe as it is today"""
    seed: int | None = None
    steps: int | None = None
    minutes: float | None = None
    finished: bool = False
    exam: str | None = None
    """passed, failed or none"""
    scores: tuple[Score, ...] = ()
    problem: str | None = None
    """what is wrong with the directory"""

    def to_dict(self) -> dict[str, Any]:
        """The summary as plain data."""
        scores = [{name: getattr(score, name) for name in COUNTS} for score in self.scores]
        return asdict(self) | {"path": str(self.path), "changes": dict(self.changes), "scores": scores}

    def rows(self) -> list[dict[str, Any]]:
        """A row for each score, with the run's own values in all of them; one row where there is no score."""
        own = self.to_dict() | {"changes": changes_in_words(self.changes)}
        scores = own.pop("scores") or [dict.fromkeys(COUNTS)]
        return [own | score for score in scores]


COUNTS = ("size", "inputs", "count", "exact", "symbols", "right")
"""What is said of a score."""


def find_runs(paths: Sequence[Path]) -> list[Path]:
    """The run directories among these and in them; a UserError names a path that holds none."""
    found: list[Path] = []
    for path in paths:
        below = [path] if (path / "config.json").exists() else sorted(each.parent for each in _configs(path))
        if not below:
            raise UserError(f"{path} holds no run; name a run directory made by `ngpu train`, or a folder of them")
        found += below
    return list(dict.fromkeys(found))


def _configs(path: Path) -> Iterable[Path]:
    return path.rglob("config.json") if path.is_dir() else ()


def summarise(path: Path) -> RunSummary:
    """What is known about a run; a directory that cannot be read is told as a problem of this run."""
    try:
        config = load_config(path / "config.json")
        report = _report(path)
    except UserError as error:
        return RunSummary(path, problem=str(error))
    record: Mapping[str, Any] = (report.training if report else None) or {}
    last = _last_metrics(path)
    minutes = record.get("minutes", round(last["seconds"] / 60, 1) if "seconds" in last else None)
    return RunSummary(
        path=path,
        task=config.network.task,
        unit=report.unit if report else "symbols",
        recipe=str(config.training.get("recipe", "")),
        changes=changes_from_recipe(config),
        seed=config.training.get("seed"),
        steps=record.get("steps", last.get("step")),
        minutes=minutes,
        finished=report is not None,
        exam=record.get("exam"),
        scores=report.scores if report else (),
    )


def changes_from_recipe(config: RunConfig) -> dict[str, Any]:
    """The settings of a run that differ from its recipe as it is today; none where the recipe is not known.

    Settings that only one of the two has are left out: they came or went with a version.
    """
    name = config.training.get("recipe")
    if name not in RECIPES:
        return {}
    recipe = get_recipe(name)
    today, then = training.setting_values(recipe), setting_values(config)
    task = open_task(config.network.task, config.network.alphabet)
    if not isinstance(task, ForeignTask):  # what a recipe adds to a tape can be told from what the task needs
        then["tape.slack"] = config.network.tape.extra - task.tape.extra
    return {name: then[name] for name in today if name in then and not _same(then[name], today[name])}


def changes_in_words(changes: Mapping[str, Any]) -> str:
    """Changed settings as they would be given to `ngpu train`.

    >>> changes_in_words({"maps": 48, "fit.lengths": [8, 12]})
    'maps=48 fit.lengths=8,12'
    """
    return " ".join(f"{name}={_word(value)}" for name, value in changes.items())


def _word(value: Any) -> str:
    return ",".join(map(_word, value)) if isinstance(value, list | tuple) else str(value)


def _same(one: Any, other: Any) -> bool:
    """Whether two values are the same in JSON, which has lists where a recipe has tuples."""
    return json.dumps(one) == json.dumps(other) or (not isinstance(one, list | tuple) and bool(one == other))


def _report(path: Path) -> Report | None:
    file = path / "evaluation.json"
    return Report.from_dict(read_json(file)) if file.exists() else None


def _last_metrics(path: Path) -> dict[str, Any]:
    """The last whole line of the metrics of a run; empty where there is none yet."""
    file = path / "metrics.jsonl"
    lines = file.read_text().splitlines(keepends=True) if file.exists() else []
    whole = [line for line in lines if line.endswith("\n")]
    try:
        last = json.loads(whole[-1]) if whole else {}
    except ValueError:
        raise UserError(f"{file} is damaged: its last line is no JSON") from None
    return last if isinstance(last, dict) else {}
