"""Runs grouped by a setting."""

import json
import shutil
from pathlib import Path

import pytest

from neuralgpu.errors import UserError
from neuralgpu.view.groups import groups_figure, read_groups


def with_shares(run: Path, to: Path, dropout: float, task: str, unit: str, exact: dict[int, int]) -> Path:
    """A copy of a run with another dropout and other scores of 10 inputs each."""
    shutil.copytree(run, to)
    config = json.loads((to / "config.json").read_text())
    config["training"]["settings"]["dropout"] = dropout
    (to / "config.json").write_text(json.dumps(config))
    scores = [
        {"inputs": "random", "size": size, "cells": 9, "count": 10, "exact": right, "symbols": 10, "right": 10}
        for size, right in exact.items()
    ]
    report = {"task": task, "unit": unit, "evaluation_seed": 0, "scores": scores}
    (to / "evaluation.json").write_text(json.dumps(report))
    return to


@pytest.fixture
def runs(tiny_run: Path, tmp_path: Path) -> list[Path]:
    return [
        with_shares(tiny_run, tmp_path / "a", 0.0, "badd", "bits", {20: 10, 200: 4}),
        with_shares(tiny_run, tmp_path / "b", 0.0, "badd", "bits", {20: 8, 200: 0, 2000: 0}),
        with_shares(tiny_run, tmp_path / "c", 0.1, "badd", "bits", {20: 5}),
        with_shares(tiny_run, tmp_path / "d", 0.1, "copy", "symbols", {41: 7}),
    ]


def test_seeds_with_one_value_are_one_group_and_their_mean_is_over_the_sizes_that_all_have(runs: list[Path]) -> None:
    groups, unscored = read_groups(runs, "dropout")
    assert unscored == []
    assert [(group.task, group.value, len(group.runs)) for group in groups] == [
        ("badd", 0.0, 2),
        ("badd", 0.1, 1),
        ("copy", 0.1, 1),
    ]
    assert groups[0].means() == {20: 0.9, 200: 0.2}


def test_a_figure_has_a_panel_for_each_task_and_a_line_for_each_seed_and_each_mean(runs: list[Path]) -> None:
    groups, _ = read_groups(runs, "dropout")
    addition, copying = groups_figure("dropout", groups).axes
    assert (addition.get_xlabel(), copying.get_xlabel()) == ("size in bits", "size in symbols")
    assert len(addition.lines) == 3 + 2
    legend = addition.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["dropout 0.0, 2 runs", "dropout 0.1, 1 run"]
    assert addition.lines[-1].get_color() == copying.lines[-1].get_color()


def test_runs_without_an_evaluation_are_left_out_and_named(runs: list[Path]) -> None:
    (runs[1] / "evaluation.json").unlink()
    groups, unscored = read_groups(runs, "dropout")
    assert unscored == [runs[1]]
    assert len(groups[0].runs) == 1
    with pytest.raises(UserError, match=r"none of 1 runs has an evaluation\.json"):
        read_groups([runs[1]], "dropout")


def test_a_setting_that_no_run_has_is_refused(runs: list[Path]) -> None:
    with pytest.raises(UserError, match=r"did you mean dropout\?"):
        read_groups(runs, "dropuot")
