import sys
from dataclasses import asdict
from pathlib import Path
from types import ModuleType

import pytest

from neuralgpu.errors import UserError
from neuralgpu.models.config import DiagonalConfig, NeuralGPUConfig
from neuralgpu.models.steps import Steps
from neuralgpu.tasks import TASKS, Tape, get_task
from neuralgpu.training import recipes
from neuralgpu.training.attempt import network_at
from neuralgpu.training.config import configure, setting_values
from neuralgpu.training.recipes import RECIPES, get_recipe
from neuralgpu.training.recipes.recipe import Recipe
from neuralgpu.training.settings import Fit, PaperSettings, StagedSettings
from neuralgpu.training.train import make_trainer


def test_the_paper_s_numbers() -> None:
    model, settings = get_recipe("paper").model, get_recipe("paper").settings
    assert isinstance(model, NeuralGPUConfig)
    assert isinstance(settings, PaperSettings)
    assert (model.layers, model.width, model.maps, model.cutoff) == (2, 4, 24, True)
    assert (model.kernel_width, model.kernel_height) == (3, 3)
    assert (settings.adam_epsilon, settings.clip_norm, settings.batch) == (1e-4, 1.0, 32)
    assert (settings.curriculum_threshold, settings.mixing, settings.dropout) == (0.9, 0.2, 0.09)
    assert (settings.relaxation_sets, settings.examples_per_size) == (6, 10_000)
    assert (settings.curriculum_by, settings.progress_on, settings.unify) == ("size", "present", "once")


def test_the_released_numbers() -> None:
    settings = get_recipe("released").settings
    assert isinstance(settings, PaperSettings)
    assert (settings.learning_rate, settings.adam_epsilon, settings.clip_norm, settings.batch) == (1e-3, 1e-4, 1.0, 32)
    assert (settings.curriculum_by, settings.curriculum_smallest, settings.curriculum_start) == ("length", 3, 6)
    assert (settings.curriculum_block, settings.curriculum_threshold, settings.progress_on) == (200, 0.85, "shorter")
    assert (settings.mixing_rule, settings.mixing, settings.examples_per_size) == ("released", 0.25, 5_000)
    assert (settings.dropout, settings.dropout_length, settings.noise_scale) == (0.15, 8, 0)
    assert (settings.relaxation_pull, settings.relaxation_pull_factor, settings.relaxation_pull_full) == (
        5e-4,
        1.2,
        0.1,
    )
    assert (settings.relaxation_sets, settings.unify, settings.decay) == (6, "repeatedly", 0.98)
    assert not settings.count_pad


def test_the_numbers_of_the_authors_of_the_diagonal_neural_gpu() -> None:
    model, settings = get_recipe("diagonal").model, get_recipe("diagonal").settings
    assert isinstance(model, DiagonalConfig)
    assert isinstance(settings, StagedSettings)
    assert settings.fit.lengths == (8, 12, 16, 20, 25, 28, 31, 36, 41)
    assert (settings.fit.batch, settings.fit.dropout, model.maps) == (32, 0.1, 96)
    assert settings.fit.learning_rate == pytest.approx(0.01 * 48 / 96)
    assert settings.harden.when_exact == 0


@pytest.mark.parametrize("name", [name for name in RECIPES if name != "exact"])
def test_every_recipe_but_exact_makes_as_many_steps_as_there_are_cells(name: str) -> None:
    assert get_recipe(name).steps == Steps(per_cell=1.0, extra=0)


def test_exact_goes_through_24_and_48_maps_with_answers_that_stand_still_and_with_a_fixed_time() -> None:
    recipe = get_recipe("exact")
    assert isinstance(recipe.settings, StagedSettings)
    network = configure(get_task("bmul"), "exact", recipe, seed=0).network
    ladder = [network_at(network, recipe.settings, number) for number in range(5)]
    assert [now.model for now in ladder] == [DiagonalConfig(maps=maps, levels=2) for maps in (24, 24, 24, 48, 48)]
    assert [now.steps(40) for now in ladder] == [64, 40, 64, 64, 40]


@pytest.mark.parametrize(
    ("task", "recipe", "tape"),
    [
        ("bmul", "exact", Tape(1.0, 0, "0")),
        ("duplicate", "exact", Tape(2.0, 0, None)),
        ("badd", "paper-muon", Tape(1.0, 8, "0")),
        ("copy", "paper-muon", Tape(1.0, 8, None)),
        ("badd", "paper", Tape(1.0, 0, None)),
        ("duplicate", "paper", Tape(2.0, 0, None)),
    ],
)
def test_a_recipe_adds_its_cells_to_those_of_the_task(task: str, recipe: str, tape: Tape) -> None:
    assert configure(get_task(task), recipe, get_recipe(recipe), seed=0).network.tape == tape


@pytest.mark.parametrize("recipe", sorted(set(RECIPES) - {"stack-rnn"}))  # which learns addition alone
@pytest.mark.parametrize("task", TASKS)
def test_every_recipe_goes_with_every_task(task: str, recipe: str) -> None:
    known = get_task(task)
    trainer = make_trainer(configure(known, recipe, get_recipe(recipe), seed=0, threads=1), known)
    assert trainer.task.name == task


def test_every_file_of_recipes_is_listed() -> None:
    folder = Path(recipes.__file__).parent
    files = {path.stem for path in folder.glob("*.py")} - {"__init__", "recipe"}
    assert files == {name.replace("-", "_") for name in RECIPES}


def test_settings_have_one_name_each_so_that_they_can_be_flags() -> None:
    for name in RECIPES:
        recipe = get_recipe(name)
        parts = (asdict(part) for part in (recipe.model, recipe.settings))
        names = [key for part in parts for key in part] + ["tape", "steps", "task", "recipe", "seed", "out", "resume"]
        assert len(names) == len(set(names))
        assert len(setting_values(recipe)) > 15


def test_an_unknown_recipe_gets_the_nearest_name() -> None:
    with pytest.raises(UserError, match=r"^unknown recipe 'papre'; did you mean paper\?$"):
        get_recipe("papre")


def test_a_recipe_of_one_s_own_is_a_file_and_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    file = ModuleType("neuralgpu.training.recipes.my_own")
    file.RECIPE = Recipe(DiagonalConfig(maps=24), StagedSettings(fit=Fit(steps=7)))  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, file.__name__, file)
    monkeypatch.setitem(RECIPES, "my-own", "what it is for")
    assert setting_values(get_recipe("my-own"))["fit.steps"] == 7
