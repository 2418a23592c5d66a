"""The configuration of a run: a task, a recipe with its settings and a seed, kept in config.json."""

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ConfigDict, TypeAdapter, ValidationError

from neuralgpu.errors import UserError, nearest
from neuralgpu.models.config import DiagonalConfig, NeuralGPUConfig
from neuralgpu.tasks import get_task
from neuralgpu.training.recipes import DiagonalRecipe, PaperRecipe, Recipe, get_recipe

T = TypeVar("T")

FORMAT = 1
"""The version of config.json that this code writes, and the newest that it reads."""


@dataclass(frozen=True)
class RunConfig:
    """What decides the weights that a run ends in."""

    task: str
    recipe: str
    seed: int
    settings: Recipe
    format: int = FORMAT

    def to_json(self) -> str:
        """The text of config.json."""
        return json.dumps(asdict(self), indent=2) + "\n"


def load_config(path: Path) -> RunConfig:
    """Read config.json; a UserError names the file, the setting and the remedy."""
    try:
        data = json.loads(path.read_text())
    except FileNotFoundError:
        raise UserError(f"{path} does not exist; name a run directory made by `ngpu train`") from None
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise UserError(f"{path} is not valid JSON: {error}") from None
    if isinstance(data, dict) and isinstance(data.get("format"), int) and data["format"] > FORMAT:
        raise UserError(
            f"{path} has format {data['format']}, newer than {FORMAT}, the newest known here; upgrade neuralgpu"
        )
    try:
        header = _adapter(_Header).validate_json(path.read_bytes())
        settings = _adapter(type(get_recipe(header.recipe))).validate_json(json.dumps(header.settings))
    except ValidationError as error:
        raise UserError(f"{path}: {_first_problem(error)}") from None
    get_task(header.task)
    return RunConfig(header.task, header.recipe, header.seed, settings, header.format)


@dataclass(frozen=True)
class _Header:
    """A RunConfig whose settings are not looked at yet: the recipe decides what they are."""

    task: str
    recipe: str
    seed: int
    settings: dict[str, Any]
    format: int


def changed_settings(old: RunConfig, new: RunConfig) -> dict[str, tuple[Any, Any]]:
    """The settings that differ, by name, each as (old, new)."""
    before, after = _flat(asdict(old)), _flat(asdict(new))
    return {name: (before[name], after[name]) for name in before if before[name] != after[name]}


def _flat(tree: dict[str, Any]) -> dict[str, Any]:
    leaves: dict[str, Any] = {}
    for name, value in tree.items():
        leaves |= _flat(value) if isinstance(value, dict) else {name: value}
    return leaves


PARTS = (_Header, PaperRecipe, DiagonalRecipe, NeuralGPUConfig, DiagonalConfig)


def _adapter(kind: type[T]) -> TypeAdapter[T]:
    for part in PARTS:
        setattr(part, "__pydantic_config__", ConfigDict(extra="forbid", strict=True))  # noqa: B010
    return TypeAdapter(kind)


def _first_problem(error: ValidationError) -> str:
    problem = error.errors()[0]
    name = str(problem["loc"][-1]) if problem["loc"] else "the file"
    if problem["type"] in ("extra_forbidden", "unexpected_keyword_argument"):
        known = {f.name for part in PARTS for f in fields(part)}
        return f"unknown setting {name!r}; {nearest(name, sorted(known))}"
    return f"{name}: {problem['msg']}"
