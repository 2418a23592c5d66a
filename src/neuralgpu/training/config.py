"""The configuration of a run: a task, a recipe with its settings and a seed, kept in config.json."""

import json
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError

from neuralgpu.engine import EngineChoice
from neuralgpu.errors import UserError, nearest
from neuralgpu.models.config import DiagonalConfig, NeuralGPUConfig
from neuralgpu.streams import check_seed
from neuralgpu.tasks import get_task
from neuralgpu.training.recipes import DiagonalRecipe, PaperRecipe, Recipe, get_recipe

FORMAT = 1
"""The version of config.json that this code writes, and the newest that it reads."""


@dataclass(frozen=True)
class RunConfig:
    """What decides the weights that a run ends in, to the last bit."""

    task: str
    recipe: str
    seed: int
    settings: Recipe
    engine: EngineChoice = "auto"
    """what computes the steps; a run directory names the one that was chosen"""
    threads: int = 0
    """CPU threads; 0 leaves the choice to torch"""
    format: int = FORMAT
    joined: tuple[str, ...] = ()
    """the commands that trained the networks that `ngpu join` put side by side in this one"""

    def __post_init__(self) -> None:
        check_seed(self.seed)

    def to_json(self) -> str:
        """The text of config.json."""
        return json.dumps(asdict(self), indent=2) + "\n"


@dataclass(frozen=True)
class _Header:
    """A RunConfig whose settings are not looked at yet: the recipe decides what they are."""

    task: str
    recipe: str
    seed: int
    settings: dict[str, Any]
    engine: EngineChoice
    threads: int
    format: int
    joined: tuple[str, ...] = ()


_PARTS = (_Header, PaperRecipe, DiagonalRecipe, NeuralGPUConfig, DiagonalConfig)
for _part in _PARTS:
    setattr(_part, "__pydantic_config__", ConfigDict(extra="forbid", strict=True))  # noqa: B010


def load_config(path: Path) -> RunConfig:
    """Read config.json; a UserError names the file, the setting and the remedy."""
    try:
        text = path.read_text()
        data = json.loads(text)
    except (FileNotFoundError, NotADirectoryError):
        raise UserError(f"{path} does not exist; name a run directory made by `ngpu train`") from None
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise UserError(f"{path} is not valid JSON: {error}") from None
    if isinstance(data, dict) and isinstance(data.get("format"), int) and data["format"] > FORMAT:
        raise UserError(
            f"{path} has format {data['format']}, newer than {FORMAT}, the newest known here; upgrade neuralgpu"
        )
    try:
        header = TypeAdapter(_Header).validate_json(text)
        recipe = type(get_recipe(header.recipe))
        settings = TypeAdapter(recipe).validate_json(json.dumps(header.settings))
    except ValidationError as error:
        raise UserError(f"{path}: {_first_problem(error)}") from None
    get_task(header.task)
    return RunConfig(**vars(header) | {"settings": settings})


def changed_settings(old: RunConfig, new: RunConfig) -> dict[str, tuple[Any, Any]]:
    """The settings that differ, by name, each as (old, new)."""
    before, after = setting_values(old), setting_values(new)
    return {name: (before[name], after[name]) for name in before if before[name] != after[name]}


def setting_values(config: RunConfig) -> dict[str, Any]:
    """Every setting by its name, those of the recipe and the model included."""
    return _flat(asdict(config))


def train_command(config: RunConfig) -> str:
    """The words at the terminal that train a network like this."""
    unchanged = replace(config, settings=get_recipe(config.recipe))
    words: list[object] = ["ngpu", "train", config.task, "--recipe", config.recipe, "--seed", config.seed]
    for name, (_, value) in changed_settings(unchanged, config).items():
        flag = name.replace("_", "-")
        if isinstance(value, bool):
            words.append(f"--{'' if value else 'no-'}{flag}")
        else:
            words += [f"--{flag}", *(value if isinstance(value, tuple) else [value])]
    return " ".join(map(str, words))


def _flat(tree: dict[str, Any]) -> dict[str, Any]:
    leaves: dict[str, Any] = {}
    for name, value in tree.items():
        leaves |= _flat(value) if isinstance(value, dict) else {name: value}
    return leaves


def _first_problem(error: ValidationError) -> str:
    problem = error.errors()[0]
    name = str(problem["loc"][-1]) if problem["loc"] else "the file"
    if problem["type"] in ("extra_forbidden", "unexpected_keyword_argument"):
        known = {f.name for part in _PARTS for f in fields(part)}
        return f"unknown setting {name!r}; {nearest(name, sorted(known))}"
    if problem["type"] == "value_error":  # one of our own
        return str(problem["ctx"]["error"])
    return f"{name}: {problem['msg']}"
