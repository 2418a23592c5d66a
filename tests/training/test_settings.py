import math
from dataclasses import fields
from typing import Any, get_type_hints

import pytest

from neuralgpu.errors import UserError
from neuralgpu.models.config import DiagonalConfig, NeuralGPUConfig
from neuralgpu.models.steps import Steps
from neuralgpu.ranges import ranges
from neuralgpu.training.settings import (
    Exam,
    Examples,
    Fit,
    Harden,
    PaperSettings,
    Retry,
    StagedSettings,
    TapeSettings,
)

KINDS = (
    PaperSettings,
    TapeSettings,
    Examples,
    Fit,
    Harden,
    Exam,
    Retry,
    NeuralGPUConfig,
    DiagonalConfig,
    Steps,
)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_number_among_the_settings_has_a_range(kind: Any) -> None:
    hints = get_type_hints(kind)
    numbers = {field.name for field in fields(kind) if hints[field.name] in (int, float, tuple[int, ...])}
    assert numbers
    assert numbers <= ranges(kind).keys()


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        (PaperSettings, "dropout", 1.0),
        (PaperSettings, "dropout", -0.1),
        (PaperSettings, "batch", 0),
        (PaperSettings, "learning_rate", 0.0),
        (PaperSettings, "learning_rate", math.nan),
        (PaperSettings, "clip_norm", math.inf),
        (PaperSettings, "curriculum_threshold", 1.5),
        (PaperSettings, "noise_scale", -1.0),
        (PaperSettings, "relaxation_sets", 0),
        (Steps, "per_cell", -1.0),
    ],
)
def test_an_impossible_value_is_refused_by_its_name(kind: Any, name: str, value: float) -> None:
    with pytest.raises(UserError, match=rf"^(steps\.)?{name} is {value}; it must be "):
        kind(**{name: value})


@pytest.mark.parametrize(
    ("kind", "setting", "value"),
    [
        (TapeSettings, "tape.slack", -1),
        (Examples, "examples.shorter", 1.1),
        (Examples, "examples.patterned", 7.0),
        (Examples, "examples.any_size", math.nan),
        (Examples, "examples.any_slack", -1),
        (Fit, "fit.steps", 0),
        (Fit, "fit.batch", 0),
        (Fit, "fit.dropout", 1.0),
        (Harden, "harden.when_exact", 1.1),
        (Harden, "harden.ramp", 0),
        (Exam, "exam.times", 0.9),
        (Retry, "retry.retries", -1),
    ],
)
def test_an_impossible_value_of_a_group_is_refused_by_the_name_of_its_flag(
    kind: Any, setting: str, value: float
) -> None:
    _, name = setting.split(".")
    with pytest.raises(UserError, match=rf"^{setting} is {value}; it must be "):
        kind(**{name: value})


@pytest.mark.parametrize("kind", [Fit, Harden])
def test_a_length_beyond_those_of_training_is_refused(kind: type[Fit | Harden]) -> None:
    with pytest.raises(UserError, match=r"lengths is \(8, 42\); it must be from 3 to 41$"):
        kind(lengths=(8, 42))


@pytest.mark.parametrize("kind", [Fit, Harden])
def test_a_stage_has_lengths(kind: type[Fit | Harden]) -> None:
    with pytest.raises(UserError, match=r"lengths is empty; give at least one length$"):
        kind(lengths=())


def test_a_network_makes_steps() -> None:
    with pytest.raises(
        UserError, match=r"^steps\.per_cell and steps\.extra are both 0; a network makes at least one step$"
    ):
        Steps(per_cell=0, extra=0)
    assert Steps(per_cell=0, extra=7)(100) == 7


def test_slower_steps_of_muon_need_muon() -> None:
    with pytest.raises(UserError, match=r"^fit\.slow_when_exact is 0\.75 without Muon; set fit\.muon too"):
        Fit(slow_when_exact=0.75)


@pytest.mark.parametrize("change", [{"every": 3}, {"shorter_inputs": 3}], ids=str)
def test_an_exam_has_inputs(change: dict[str, int]) -> None:
    with pytest.raises(UserError, match=r"^exam\.inputs is 0, so there is no exam"):
        Exam(**change)


@pytest.mark.parametrize("pair", [(99, 0.5), (100, 1.1), (100, -0.1), (100, math.nan), (2**31, 0.5)], ids=str)
def test_giving_up_is_decided_by_a_hundred_steps_and_a_share(pair: tuple[int, float]) -> None:
    with pytest.raises(UserError, match=r"^retry\.give_up has .*; a step is at least 100, and a share from 0 to 1$"):
        Retry(give_up=((600, 0.6), pair))


@pytest.mark.parametrize("times", [0, 41])
def test_a_network_is_made_at_most_forty_times_as_wide(times: int) -> None:
    with pytest.raises(UserError, match=rf"^retry\.widen is \(1, {times}\); it must be from 1 to 40$"):
        Retry(widen=(1, times))


@pytest.mark.parametrize("change", [{"widen": ()}, {"standing": ()}], ids=str)
def test_attempts_are_told_their_width_and_whether_they_stand_still(change: dict[str, Any]) -> None:
    with pytest.raises(UserError, match=r"^retry\.widen and retry\.standing must have at least one item each"):
        Retry(**change)


def test_an_exam_without_hardening_is_refused_since_nobody_would_sit_it() -> None:
    with pytest.raises(UserError) as refused:
        StagedSettings(exam=Exam(inputs=4))
    assert str(refused.value) == "exam.inputs is 4; exams follow hardening, so set harden.when_exact too"
