"""The configuration of a training: settings by the names of their flags, the training part of config.json, commands."""

import json
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command import ngpu
from neuralgpu.errors import UserError
from neuralgpu.models.config import DiagonalConfig
from neuralgpu.models.steps import Steps
from neuralgpu.runs.config import RunConfig, load_config
from neuralgpu.tasks import get_task
from neuralgpu.training.config import (
    TrainConfig,
    changed_settings,
    configure,
    read_config,
    recipe_of,
    setting_values,
    train_command,
    with_settings,
)
from neuralgpu.training.recipes import RECIPES, get_recipe
from neuralgpu.training.settings import StagedSettings


def config(task: str = "badd", recipe: str = "exact", seed: int = 3, **changes: Any) -> TrainConfig:
    changed = with_settings(get_recipe(recipe), changes)
    return configure(get_task(task), recipe, changed, seed, "torch", threads=1)


# The training part of config.json


def from_file(written: TrainConfig, path: Path) -> TrainConfig:
    path.write_text(written.to_run().to_json())
    return read_config(load_config(path))


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_training_survives_the_file(recipe: str, tmp_path: Path) -> None:
    written = config(recipe=recipe)
    assert from_file(written, tmp_path / "config.json") == written


def test_changed_settings_survive_the_file(tmp_path: Path) -> None:
    changes: dict[str, Any] = {"fit.lengths": (5, 9), "retry.give_up": ((150, 0.5), (200, 0.6)), "steps.extra": 4}
    written = config(**changes)
    assert from_file(written, tmp_path / "config.json") == written


def test_every_key_of_a_training_is_written() -> None:
    training = json.loads(config(recipe="exact").to_run().to_json())["training"]
    assert {name: training[name] for name in training if name not in ("network", "settings")} == {
        "recipe": "exact",
        "seed": 3,
        "engine": "torch",
        "threads": 1,
        "device": "cpu",
    }
    assert list(training["settings"]) == ["kind", "examples", "fit", "harden", "exam", "retry"]
    assert training["settings"]["kind"] == "staged"


def test_the_network_part_is_that_of_the_weights_and_the_training_part_has_the_first_attempt_s(tmp_path: Path) -> None:
    written = config()
    wider = replace(written.network, model=DiagonalConfig(maps=48, levels=2), steps=Steps())
    run = replace(written.to_run(), network=wider)
    (tmp_path / "config.json").write_text(run.to_json())
    read = load_config(tmp_path / "config.json")
    assert read.network == wider
    assert read_config(read) == written
    data = json.loads(run.to_json())
    assert (data["network"]["model"]["maps"], data["training"]["network"]["model"]["maps"]) == (48, 24)


def part(change: dict[str, Any], group: str | None = None) -> RunConfig:
    """A run with something else in its training part, or in a group of its settings; None removes a key."""
    run = RunConfig(config().network, json.loads(json.dumps(config().to_run().training)))
    tree = run.training if group is None else {**run.training, **run.training["settings"]}[group]
    tree.update({name: value for name, value in change.items() if value is not None})
    for name in [name for name, value in change.items() if value is None]:
        del tree[name]
    return run


@pytest.mark.parametrize(
    ("group", "change", "said"),
    [
        (None, {"seed": None}, "'seed' is missing; every key is written by `ngpu train`"),
        (None, {"sed": 3}, "unknown setting 'sed'; did you mean seed?"),
        (None, {"seed": "3"}, "seed: Input should be a valid integer"),
        (None, {"seed": -1}, "seed is -1; it must be from 0 to 2^63 - 1"),
        (None, {"settings": []}, "settings: Input should be an object"),
        (
            "settings",
            {"kind": None},
            "the kind of the settings is None; it must be one of paper, staged, lstm-attention, stack-rnn",
        ),
        (
            "settings",
            {"kind": ["staged"]},
            "the kind of the settings is ['staged']; it must be one of paper, staged, lstm-attention, stack-rnn",
        ),
        ("settings", {"retry": None}, "'retry' is missing; every key is written by `ngpu train`"),
        ("fit", {"batch": None}, "'fit.batch' is missing; every key is written by `ngpu train`"),
        ("fit", {"bacth": 3}, "unknown setting 'fit.bacth'; did you mean batch?"),
        ("fit", {"dropout": "0.1"}, "fit.dropout: Input should be a valid number"),
        ("fit", {"lengths": [8, "9"]}, "fit.lengths.1: Input should be a valid integer"),
        ("fit", {"dropout": 3.0}, "fit.dropout is 3.0; it must be at least 0 and below 1"),
        ("harden", {"shrink": float("nan")}, "harden.shrink is nan; it must be from 0 to 1000000"),
        (None, {"network": None}, "'network' is missing; every key is written by `ngpu train`"),
        ("network", {"steps": None}, "'steps' is missing; every key is written by `ngpu train`"),
        ("network", {"fill": "0"}, "unknown setting 'fill'; known: alphabet, model, steps, tape, task"),
    ],
)
def test_what_is_wrong_with_a_training_part_is_told_in_a_sentence(
    group: str | None, change: dict[str, Any], said: str
) -> None:
    with pytest.raises(UserError) as refused:
        read_config(part(change, group))
    assert str(refused.value) == said


@pytest.mark.parametrize("seed", [-1, 2**63])
def test_a_seed_that_no_generator_takes_is_refused(seed: int) -> None:
    with pytest.raises(UserError, match=rf"^seed is {seed}; it must be from 0 to 2\^63 - 1$"):
        config(seed=seed)


# Settings by the names of their flags


def test_a_setting_is_changed_wherever_it_stands() -> None:
    changes = {"maps": 48, "tape.slack": 5, "steps.per_cell": 2.0, "fit.steps": 9, "harden.steps": 8}
    changed = with_settings(get_recipe("exact"), changes)
    values = setting_values(changed)
    assert {name: values[name] for name in changes} == changes
    assert changed_settings(get_recipe("exact"), changed).keys() == changes.keys()


def test_nothing_changed_is_the_recipe() -> None:
    for name in RECIPES:
        assert with_settings(get_recipe(name), {}) == get_recipe(name)


def test_the_order_of_settings_that_need_each_other_does_not_matter() -> None:
    changes = {"exam.every": 5, "exam.inputs": 3, "exam.shorter_inputs": 2, "harden.when_exact": 0.5, "fit.muon": 1.0}
    changes["fit.slow_when_exact"] = 0.5
    there = with_settings(get_recipe("diagonal"), changes)
    back = with_settings(get_recipe("diagonal"), dict(reversed(changes.items())))
    assert there == back


@pytest.mark.parametrize(
    ("name", "nearest"),
    [("mpas", "maps"), ("harden.step", "harden.steps"), ("steps.extr", "steps.extra")],
)
def test_an_unknown_setting_is_named_with_the_nearest(name: str, nearest: str) -> None:
    with pytest.raises(UserError) as refused:
        with_settings(get_recipe("exact"), {name: 1})
    assert str(refused.value) == f"unknown setting {name!r}; did you mean {nearest}?"


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("maps", "24", "maps: Input should be a valid integer"),
        ("maps", 24.0, "maps: Input should be a valid integer"),
        ("maps", None, "maps: Input should be a valid integer"),
        ("maps", np.int64(24), "maps is np.int64(24); it must be a number, a text or a sequence of them"),
        ("maps", 25, "maps is 25; it must be a multiple of 3, because a third of them moves each way"),
        ("fit.lengths", 5, "fit.lengths: Input should be a valid array"),
        ("tape.zero_fill", 1, "zero_fill: Input should be a valid boolean"),
        ("fit.dropout", 1, "fit.dropout is 1.0; it must be at least 0 and below 1"),
        ("tape.slack", -1, "tape.slack is -1; it must be from 0 to 10000"),
    ],
)
def test_a_value_that_is_none_for_its_setting_is_refused(name: str, value: object, said: str) -> None:
    with pytest.raises(UserError) as refused:
        with_settings(get_recipe("exact"), {name: value})
    assert str(refused.value) == said


def test_a_list_does_for_a_sequence_of_lengths() -> None:
    settings = with_settings(get_recipe("exact"), {"fit.lengths": [5, 9]}).settings
    assert isinstance(settings, StagedSettings)
    assert settings.fit.lengths == (5, 9)


def test_changed_settings_are_found_at_every_depth() -> None:
    old, new = get_recipe("released"), get_recipe("paper")
    changed = changed_settings(replace(old, settings=new.settings), new)
    assert changed == {"tanh_embedding": (True, False)}


def test_a_setting_that_only_one_of_two_recipes_has_is_none_in_the_other() -> None:
    changed = changed_settings(get_recipe("paper"), get_recipe("diagonal"))
    assert changed["fit.lengths"] == (None, (8, 12, 16, 20, 25, 28, 31, 36, 41))
    assert changed["layers"] == (2, None)


# The command that trains a network like this


@pytest.mark.parametrize(
    ("task", "recipe", "changes"),
    [
        ("badd", "exact", {}),
        ("duplicate", "exact", {"tape.slack": 2}),
        ("copy", "exact", {"tape.zero_fill": False}),
        ("bmul", "exact", {"steps.per_cell": 2.0, "maps": 48}),
        ("badd", "diagonal", {"tape.zero_fill": False, "steps.per_cell": 1.5}),
    ],
)
def test_the_recipe_is_found_again_in_a_configuration(task: str, recipe: str, changes: dict[str, Any]) -> None:
    known = get_task(task)
    found = recipe_of(config(task, recipe, **changes), known)
    if task in ("copy", "duplicate"):  # a tape of a sequence does not tell whether zeros would fill it
        changes = {name: value for name, value in changes.items() if name != "tape.zero_fill"}
    assert found == with_settings(get_recipe(recipe), changes)


def test_the_command_names_what_differs_from_the_recipe() -> None:
    changed = config("bmul", "exact", seed=7, **{"maps": 48, "steps.per_cell": 2.0, "retry.give_up": ((150, 0.5),)})
    assert train_command(changed, get_task("bmul")) == (
        "ngpu train bmul --recipe exact --seed 7 --maps 48 --steps.per-cell 2.0 --retry.give-up 150 0.5"
    )


EVERY_SORT = {
    "maps": 24,
    "levels": 4,
    "tape.slack": 3,
    "tape.zero_fill": False,
    "steps.per_cell": 1.5,
    "examples.runs": 0.5,
    "examples.any_size": 0.25,
    "fit.steps": 1,
    "fit.lengths": (5, 9),
    "fit.batch": 2,
    "harden.gate_noise": 0.125,
    "retry.give_up": ((150, 0.5), (200, 0.625)),
    "retry.widen": (1, 2),
    "retry.standing": (False, True),
}


@pytest.mark.parametrize(
    ("recipe", "changes"),
    [
        ("diagonal", EVERY_SORT),
        ("diagonal", {**EVERY_SORT, "retry.give_up": ()}),
        (
            "paper",
            {
                "max_steps": 1,
                "examples_per_size": 10,
                "layers": 1,
                "width": 1,
                "maps": 8,
                "cutoff": False,
                "unify": "repeatedly",
            },
        ),
    ],
)
def test_the_command_of_a_training_makes_the_same_training(
    recipe: str, changes: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = config("badd", recipe, seed=7, **changes)
    words = shlex.split(train_command(wanted, get_task("badd")))[1:]
    machine = ["--engine", "torch", "--threads", "1", "--evaluate-count", "0"]
    assert ngpu(capsys, *words, *machine, "--out", str(tmp_path / "run"))[0] == 0
    assert read_config(load_config(tmp_path / "run" / "config.json")) == wanted


def test_a_network_config_keeps_its_model() -> None:
    assert config("bmul", "exact", maps=48).network.model == DiagonalConfig(maps=48, levels=2)
