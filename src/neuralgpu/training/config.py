"""The configuration of a training: the network that it makes, the settings, and what the bits depend on besides."""

import itertools
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

from neuralgpu.engine import EngineChoice
from neuralgpu.errors import UserError, nearest
from neuralgpu.runs.config import NetworkConfig, RunConfig, parse, parse_network
from neuralgpu.streams import check_seed
from neuralgpu.tasks import Source, Task
from neuralgpu.training.recipes import get_recipe
from neuralgpu.training.recipes.recipe import Recipe
from neuralgpu.training.settings import SETTINGS, Settings, TapeSettings


@dataclass(frozen=True)
class TrainConfig:
    """What decides the weights that a training ends in, to the last bit."""

    network: NetworkConfig
    """that of the first attempt"""
    recipe: str
    """the name of the recipe that gave the settings their values"""
    seed: int
    settings: Settings
    engine: EngineChoice = "auto"
    """what computes the steps; a run directory names the one that was chosen"""
    threads: int = 0
    """CPU threads; 0 takes one for each core. The bits do not depend on it."""
    device: str = "cpu"
    source: Source | None = None
    """the file that the task was read from, where it is none of `ngpu tasks`"""

    def __post_init__(self) -> None:
        check_seed(self.seed)

    def to_run(self) -> RunConfig:
        """What config.json keeps as a run begins."""
        training = {name: getattr(self, name) for name in ("recipe", "seed", "engine", "threads", "device")}
        settings = {"kind": self.settings.kind, **asdict(self.settings)}
        source = {"source": asdict(self.source)} if self.source else {}
        parts = {"network": self.network.to_dict(), **source, "settings": settings}
        return RunConfig(self.network, training | parts)


@dataclass(frozen=True)
class _Training:
    """The training part of config.json before the kind of its settings is looked at."""

    recipe: str
    seed: int
    engine: EngineChoice
    threads: int
    device: str
    network: dict[str, Any]
    settings: dict[str, Any]


def read_config(run: RunConfig) -> TrainConfig:
    """The training of a run; a UserError says what is wrong with it."""
    if run.training.get("format") == 1:
        raise UserError(
            "this run was begun by an older version, whose checkpoints cannot be continued; its network can be used as "
            "it is, and `ngpu train` begins a new run"
        )
    training = dict(run.training)
    source = _read_source(training.pop("source", None))
    part = parse(_Training, training)
    kind = part.settings.pop("kind", None)
    if not isinstance(kind, str) or kind not in SETTINGS:
        raise UserError(f"the kind of the settings is {kind!r}; it must be one of {', '.join(SETTINGS)}")
    settings = parse(SETTINGS[kind], part.settings)
    parts = vars(part) | {"network": parse_network(part.network), "settings": settings}
    return TrainConfig(**parts, source=source)


def _read_source(data: Any) -> Source | None:
    """The file that a run learns from, where there is one."""
    if data is None:
        return None
    if not isinstance(data, dict):
        raise UserError(f"source is {data!r}; it must be an object with file, sha256 and words")
    return parse(Source, data)


def configure(
    task: Task,
    name: str,
    recipe: Recipe,
    seed: int,
    engine: EngineChoice = "auto",
    threads: int = 0,
    device: str = "cpu",
) -> TrainConfig:
    """The configuration of a training of this task by a recipe that has the name, or began as it."""
    tape = task.tape_with(recipe.tape.slack, 0.0, recipe.tape.zero_fill)
    network = NetworkConfig(task.name, task.alphabet, tape, recipe.steps, recipe.model)
    return TrainConfig(network, name, seed, recipe.settings, engine, threads, device, task.source)


def recipe_of(config: TrainConfig, task: Task) -> Recipe:
    """The recipe that `configure` made this configuration from."""
    tape, own = config.network.tape, task.tape_with(0, 0.0, False)
    filled = tape.fill is not None
    if task.tape_with(0, 0.0, True).fill is None:  # the task has no numbers, so its tape does not tell
        filled = get_recipe(config.recipe).tape.zero_fill
    added = TapeSettings(tape.extra - own.extra, filled)
    return Recipe(config.network.model, config.settings, added, config.network.steps)


def setting_values(recipe: Recipe) -> dict[str, Any]:
    """Every setting of a recipe by the name of its flag: `maps`, `dropout`, `fit.learning_rate`.

    >>> setting_values(get_recipe("exact"))["harden.steps"]
    6000
    """
    values = _flat(recipe.model) | _flat(recipe.tape, "tape.") | _flat(recipe.steps, "steps.")
    return values | _flat(recipe.settings)


def with_settings(recipe: Recipe, changes: Mapping[str, Any]) -> Recipe:
    """A recipe with some settings changed, each given by the name of its flag; a UserError names one that is unknown.

    >>> with_settings(get_recipe("exact"), {"maps": 48, "harden.steps": 10}).settings.harden.steps
    10
    """
    known, parts = setting_values(recipe), {field.name: getattr(recipe, field.name) for field in fields(recipe)}
    trees = {name: asdict(part) for name, part in parts.items()}
    for name, value in changes.items():
        if name not in known:
            raise UserError(f"unknown setting {name!r}; {nearest(name, known)}")
        _plant(trees, name, value)
    return Recipe(**{name: parse(type(part), trees[name]) for name, part in parts.items()})


def changed_settings(old: Recipe, new: Recipe) -> dict[str, tuple[Any, Any]]:
    """The settings that differ, by name, each as (old, new); None where a recipe has no such setting."""
    before, after = setting_values(old), setting_values(new)
    names = dict.fromkeys(itertools.chain(before, after))
    return {name: (before.get(name), after.get(name)) for name in names if before.get(name) != after.get(name)}


def train_command(config: TrainConfig, task: Task) -> str:
    """The words at the terminal that train a network like this."""
    learned = Path(config.source.file).name if config.source else config.network.task
    words: list[object] = ["ngpu", "train", learned, "--recipe", config.recipe, "--seed", config.seed]
    if config.source and config.source.words:
        words.append("--words")
    for name, (_, value) in changed_settings(get_recipe(config.recipe), recipe_of(config, task)).items():
        group, dot, leaf = name.rpartition(".")
        flag = leaf.replace("_", "-")
        if isinstance(value, bool):
            words.append(f"--{group}{dot}{'' if value else 'no-'}{flag}")
        else:
            words += [f"--{group}{dot}{flag}", *_words(value)]
    return " ".join(map(str, words))


def _words(value: Any) -> list[object]:
    return [word for item in value for word in _words(item)] if isinstance(value, tuple) else [value]


def _flat(settings: Any, prefix: str = "") -> dict[str, Any]:
    leaves: dict[str, Any] = {}
    for field in fields(settings):
        value = getattr(settings, field.name)
        leaves |= _flat(value, f"{prefix}{field.name}.") if is_dataclass(value) else {prefix + field.name: value}
    return leaves


def _plant(trees: dict[str, dict[str, Any]], name: str, value: Any) -> None:
    """Put the value of a setting where it belongs; names of tape and steps have these before them, others nothing."""
    try:
        json.dumps(value)
    except TypeError:
        raise UserError(f"{name} is {value!r}; it must be a number, a text or a sequence of them") from None
    *groups, leaf = name.split(".")
    first = groups[0] if groups else leaf
    tree: dict[str, Any] = next(tree for tree in (trees, trees["model"], trees["settings"]) if first in tree)
    for group in groups:
        tree = tree[group]
    tree[leaf] = value
