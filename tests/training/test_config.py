import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from neuralgpu.errors import UserError
from neuralgpu.training.config import RunConfig, changed_settings, load_config
from neuralgpu.training.recipes import PAPER, RELEASED

CONFIG = RunConfig("badd", "released", seed=3, settings=RELEASED)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "config.json"
    file.write_text(CONFIG.to_json())
    return file


def rewrite(path: Path, change: dict[str, Any], part: str | None = None) -> None:
    data = json.loads(path.read_text())
    (data[part] if part else data).update(change)
    path.write_text(json.dumps(data))


def test_a_configuration_survives_the_file(path: Path) -> None:
    assert load_config(path) == CONFIG


def test_an_unknown_setting_is_named_with_the_nearest(path: Path) -> None:
    rewrite(path, {"droput": 0.1}, part="settings")
    with pytest.raises(UserError, match=r"unknown setting 'droput'; did you mean dropout\?"):
        load_config(path)


@pytest.mark.parametrize("value", ["0.1", None, 3])
def test_a_setting_of_the_wrong_kind_is_named(path: Path, value: object) -> None:
    rewrite(path, {"dropout": value}, part="settings")
    with pytest.raises(UserError, match="dropout"):
        load_config(path)


def test_a_newer_format_asks_for_an_upgrade(path: Path) -> None:
    rewrite(path, {"format": 99, "something": "new"})
    with pytest.raises(UserError, match=r"format 99, newer than 1.*upgrade neuralgpu"):
        load_config(path)


def test_a_value_that_a_recipe_refuses_is_told_in_its_words(path: Path) -> None:
    rewrite(path, {"dropout": 3.0}, part="settings")
    with pytest.raises(UserError, match=r"config\.json: dropout is 3\.0; it must be at least 0 and below 1$"):
        load_config(path)


@pytest.mark.parametrize("seed", [-1, 2**63])
def test_a_seed_that_no_generator_takes_is_refused(seed: int) -> None:
    with pytest.raises(UserError, match=f"seed is {seed}; it must be from 0"):
        RunConfig("badd", "paper", seed, PAPER)


def test_an_unknown_task_is_named(path: Path) -> None:
    rewrite(path, {"task": "bad"})
    with pytest.raises(UserError, match=r"unknown task 'bad'; did you mean badd\?"):
        load_config(path)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[]", b"{}"])
def test_a_file_that_is_no_configuration_is_named(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(UserError, match=r"config\.json"):
        load_config(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (tmp_path, tmp_path / "file"):
        with pytest.raises(UserError, match="does not exist; name a run directory"):
            load_config(folder / "config.json")


def test_changed_settings_are_found_at_every_depth() -> None:
    changed = replace(CONFIG, seed=4, settings=replace(RELEASED, model=replace(PAPER.model, maps=32)))
    assert changed_settings(CONFIG, changed) == {
        "seed": (3, 4),
        "maps": (24, 32),
        "tanh_embedding": (True, False),
    }
