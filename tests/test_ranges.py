import math
from dataclasses import dataclass
from typing import Annotated

import pytest

from neuralgpu.errors import UserError
from neuralgpu.ranges import Amount, Count, Range, Rate, check_ranges, ranges


@dataclass(frozen=True)
class Oven:
    """Settings of something that is not ours."""

    trays: Count = 1
    heat: Rate = 0.5
    minutes: tuple[Annotated[int, Range(1, 60)], ...] = (10,)
    name: str = "oven"


@pytest.mark.parametrize("value", [0, 0.5, 1])
def test_the_ends_of_a_range_belong_to_it(value: float) -> None:
    assert value in Range(0, 1)


@pytest.mark.parametrize("value", [0, 1])
def test_open_ends_do_not(value: float) -> None:
    assert value not in Range(0, 1, open_below=True, open_above=True)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 10**400, -(10**400)])
def test_numbers_that_are_none_or_endless_are_in_no_range(value: float) -> None:
    assert value not in Range(0, 1)


@pytest.mark.parametrize("value", [math.inf, math.nan])
def test_even_a_range_without_an_end_holds_finite_numbers_alone(value: float) -> None:
    assert value not in Range(0, math.inf)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"trays": 0}, "trays is 0; it must be from 1 to 2147483647"),
        ({"heat": 1.0}, "heat is 1.0; it must be at least 0 and below 1"),
        ({"minutes": (10, 61)}, "minutes is (10, 61); it must be from 1 to 60"),
    ],
)
def test_a_value_out_of_range_is_named_with_what_would_be_right(change: dict[str, object], message: str) -> None:
    with pytest.raises(UserError) as refused:
        check_ranges(Oven(**change))  # type: ignore[arg-type]
    assert str(refused.value) == message


def test_the_group_of_a_setting_stands_before_its_name() -> None:
    with pytest.raises(UserError, match=r"^oven\.trays is 0; "):
        check_ranges(Oven(trays=0), "oven.")


def test_a_value_that_fills_the_screen_is_cut() -> None:
    with pytest.raises(UserError) as refused:
        check_ranges(Oven(trays=-(10**400)))
    assert len(str(refused.value)) < 120


def test_fields_without_a_range_are_not_looked_at() -> None:
    assert list(ranges(Oven)) == ["trays", "heat", "minutes"]


def test_only_a_dataclass_declares_ranges() -> None:
    with pytest.raises(TypeError, match="is no dataclass"):
        ranges(Amount)
