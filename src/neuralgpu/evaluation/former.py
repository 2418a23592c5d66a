"""Reports of earlier versions, brought into today's shape: `length` was `cells`, and training was not kept apart."""

import re
from collections.abc import Mapping
from typing import Any

from neuralgpu.errors import UserError
from neuralgpu.tasks import get_task

OF_A_SCORE = {
    *("inputs", "size", "length", "count", "exact", "symbols", "right", "counter_examples"),
    *("exact_share", "exact_bound_95", "symbol_share"),
}


def modernised(data: object) -> object:
    """A report in today's shape; anything that is not one of an earlier version is left as it is.

    >>> old = {"task": "badd", "seed": 3, "scores": [{"inputs": "random", "size": 20, "length": 57}]}
    >>> modernised(old)["scores"]
    [{'inputs': 'random', 'size': 20, 'cells': 57}]
    >>> {name: value for name, value in modernised(old).items() if name != "scores"}
    {'task': 'badd', 'unit': 'bits', 'evaluation_seed': 3, 'training': None}
    """
    if not isinstance(data, Mapping) or "training" in data or not ("scores" in data or "inputs" in data):
        return data
    rest: dict[str, Any] = dict(data)
    scores = rest.pop("scores", [data])  # one score alone stood beside the rest
    seeds = [rest.pop(name) for name in ("evaluation_seed", "seed") if name in rest]
    task = rest.pop("task", None) or _task_of(rest)
    unit = rest.pop("unit", None) or _unit_of(task)
    training = {name: value for name, value in rest.items() if name not in OF_A_SCORE}
    return {
        "task": task,
        "unit": unit,
        "evaluation_seed": seeds[0] if seeds else None,
        "scores": [_modern_score(score) for score in scores] if isinstance(scores, list) else scores,
        "training": training or None,
    }


def _modern_score(score: object) -> object:
    if not isinstance(score, Mapping):
        return score
    return {("cells" if name == "length" else name): value for name, value in score.items()}


def _task_of(report: Mapping[str, Any]) -> str | None:
    """The task in the command that made the report, or in the name of a shipped network, which begins with it."""
    named = re.match(r"ngpu (?:train|evaluate) (\w+)|(\w+)", str(report.get("command") or report.get("network") or ""))
    return (named[1] or named[2]) if named else None


def _unit_of(task: object) -> str:
    try:
        return get_task(str(task)).unit
    except UserError:
        return "symbols"
