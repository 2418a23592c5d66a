import pytest

from neuralgpu.errors import UserError
from neuralgpu.view.options import PictureOptions, chosen_maps


@pytest.mark.parametrize(
    ("words", "maps"),
    [([], [0, 1, 2, 3]), (["3"], [3]), (["1-2"], [1, 2]), (["3", "0-1", "1"], [3, 0, 1])],
)
def test_maps_are_numbers_and_ranges(words: list[str], maps: list[int]) -> None:
    assert chosen_maps(words, m=4) == maps


@pytest.mark.parametrize(
    ("word", "complaint"),
    [
        ("4", "map 4 does not exist; this network has maps 0 to 3"),
        ("2-9", "map 9 does not exist"),
        ("x", "maps has 'x'; numbers and ranges from 0 to 3"),
        ("-1", "maps has '-1'"),
        ("1-", "maps has '1-'"),
        ("1-2-3", "maps has '1-2-3'"),
        ("3-1", "1-3 would be right"),
    ],
)
def test_other_maps_are_refused(word: str, complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        chosen_maps([word], m=4)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"scale": 0}, "scale is 0; it must be from 1 to 8"),
        ({"speed": 0.0}, "speed is 0.0; it must be from 0.01 to 1000000"),
        ({"speed": float("inf")}, "speed is inf"),
        ({"every": 0}, "every is 0; it must be from 1 to 2147483647"),
        ({"hold": -1.0}, "hold is -1.0; it must be from 0 to 60"),
    ],
)
def test_impossible_options_are_refused_by_name(options: dict[str, float], complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        PictureOptions(**options)  # type: ignore[arg-type]
