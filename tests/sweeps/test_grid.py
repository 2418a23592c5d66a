"""Points of a grid, the paper's grid, and values as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuralgpu.errors import UserError
from neuralgpu.sweeps.grid import Axis, Grid, named_axes
from neuralgpu.sweeps.values import checked_axes, read_assignment
from neuralgpu.training.config import setting_values
from neuralgpu.training.recipes import get_recipe

PAPER = get_recipe("paper")


@given(st.integers(0, 728), st.integers(0, 1000))
def test_digits_of_a_point_are_its_number_in_base_3_and_its_seed_is_base_plus_number(number: int, base: int) -> None:
    point = Grid(named_axes("paper", PAPER), seed=base).point(number)
    assert int(point.digits, 3) == number
    assert point.seed == base + number


def test_paper_grid_has_729_different_points_around_the_recipe() -> None:
    grid = Grid(named_axes("paper", PAPER))
    settings = {tuple(point.settings.values()) for point in grid}
    assert len(settings) == 729
    recipe, middle = setting_values(PAPER), grid.point(int("111111", 3)).settings
    assert dict(middle) == {name: recipe[name] for name in middle}
    assert [axis.values for axis in grid.axes if axis.name == "dropout"] == [(0.06, 0.09, 0.135)]


def test_seeds_are_the_last_digit() -> None:
    grid = Grid((Axis("maps", (8, 16)),), seeds=3)
    assert [(point.settings["maps"], point.digits) for point in grid] == [
        (8, "00"),
        (8, "01"),
        (8, "02"),
        (16, "10"),
        (16, "11"),
        (16, "12"),
    ]


def test_point_outside_the_grid_is_told_its_bounds() -> None:
    with pytest.raises(UserError, match="point 729 is not on the grid; its points are 0 to 728"):
        Grid(named_axes("paper", PAPER)).point(729)


def test_paper_grid_does_not_fit_a_recipe_without_its_settings() -> None:
    with pytest.raises(UserError, match="varies learning_rate, which this recipe does not have; use --recipe paper"):
        named_axes("paper", get_recipe("exact"))


@pytest.mark.parametrize(
    ("axes", "words"),
    [
        ({"lerning_rate": [1]}, "unknown setting 'lerning_rate'; did you mean learning_rate"),
        ({"dropout": [0.1, 1.5]}, "dropout is 1.5; it must be at least 0 and below 1"),
        ({"maps": ["many"]}, "maps: Input should be a valid integer"),
        ({"maps": 8}, "axis maps is 8; it must be a list of values"),
        ({"unify": ["never"]}, "unify: Input should be 'once' or 'repeatedly'"),
    ],
)
def test_wrong_axis_is_told_what_would_be_right(axes: dict[str, list[object]], words: str) -> None:
    with pytest.raises(UserError, match=words):
        checked_axes(PAPER, axes)


def test_axis_with_the_same_value_twice_is_refused() -> None:
    with pytest.raises(UserError, match=r"axis learning_rate has the value 0\.001 twice"):
        Grid(checked_axes(PAPER, {"learning_rate": [1e-3, 0.001]}))


def test_list_becomes_the_tuple_that_its_setting_wants() -> None:
    name, values = read_assignment("fit.lengths=[8,12],[8,41]")
    assert checked_axes(get_recipe("exact"), {name: values}) == (Axis("fit.lengths", ((8, 12), (8, 41))),)


def test_assignment_without_values_is_refused() -> None:
    with pytest.raises(UserError, match="'dropout' is not a setting with its values"):
        read_assignment("dropout")
