from dataclasses import asdict, fields, replace

import pytest

from neuralgpu.errors import UserError
from neuralgpu.training.config import RunConfig
from neuralgpu.training.recipes import PAPER, RECIPES, RELEASED, get_recipe


def test_the_paper_s_numbers() -> None:
    assert (PAPER.model.layers, PAPER.model.width, PAPER.model.maps) == (2, 4, 24)
    assert (PAPER.model.kernel_width, PAPER.model.kernel_height) == (3, 3)
    assert PAPER.model.cutoff
    assert (PAPER.adam_epsilon, PAPER.clip_norm, PAPER.batch) == (1e-4, 1.0, 32)
    assert (PAPER.curriculum_threshold, PAPER.mixing, PAPER.dropout) == (0.9, 0.2, 0.09)
    assert (PAPER.relaxation_sets, PAPER.examples_per_size) == (6, 10_000)


def test_the_released_recipe_differs_only_where_the_code_did() -> None:
    same = {"batch", "adam_epsilon", "clip_norm", "relaxation_sets", "learning_rate"}
    assert all(asdict(PAPER)[name] == asdict(RELEASED)[name] for name in same)
    assert RELEASED.noise_scale == 0
    assert not RELEASED.count_pad


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("dropout", 1.0),
        ("dropout", -0.1),
        ("batch", 0),
        ("learning_rate", 0.0),
        ("curriculum_threshold", 1.5),
        ("noise_scale", -1.0),
        ("relaxation_sets", 0),
    ],
)
def test_impossible_values_are_refused_by_name(name: str, value: float) -> None:
    with pytest.raises(UserError, match=f"{name} is {value}; it must be"):
        replace(PAPER, **{name: value})  # type: ignore[arg-type]


def test_an_unknown_recipe_gets_the_nearest_name() -> None:
    with pytest.raises(UserError, match=r"unknown recipe 'papre'; did you mean paper\?"):
        get_recipe("papre")


def test_settings_have_one_name_each_so_that_they_can_be_flags() -> None:
    for recipe in RECIPES.values():
        names = [f.name for part in (recipe, recipe.model, RunConfig) for f in fields(part)]
        assert len(names) == len(set(names))
