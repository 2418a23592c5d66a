"""config.json of format 1: every configuration shipped so far is one line of format1.jsonl."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.torch

from command import error_of
from neuralgpu import load, zoo
from neuralgpu.errors import UserError
from neuralgpu.runs.config import load_config
from neuralgpu.runs.format1 import convert
from neuralgpu.tasks import get_task

SHIPPED: list[dict[str, Any]] = [
    json.loads(line) for line in (Path(__file__).parent / "format1.jsonl").read_text().splitlines()
]
EVERY = pytest.mark.parametrize(
    "data", SHIPPED, ids=[f"{data['task']}-{data['recipe']}-{number}" for number, data in enumerate(SHIPPED, 1)]
)

ALPHABETS = {"badd": "01+", "bmul": "01*", "copy": "01", "reverse": "01", "duplicate": "01", "sort": "01"}
EXTENTS = {"badd": (2, 1), "bmul": (2, 1), "copy": (1, 0), "reverse": (1, 0), "duplicate": (2, 0), "sort": (1, 0)}
"""Cells of input and answer in format 1: a number for each unit of the size, and a number besides."""


def former_cells(data: dict[str, Any], size: int) -> int:
    """What format 1 counted: extent + slack + int(extent * stretch)."""
    each, besides = EXTENTS[data["task"]]
    extent, settings = each * size + besides, data["settings"]
    return int(extent + settings.get("slack", 0) + int(extent * settings.get("stretch", 0.0)))


def converted(data: dict[str, Any]) -> dict[str, Any]:
    network: dict[str, Any] = convert(data)["network"]
    return network


def write(path: Path, data: dict[str, Any]) -> Path:
    path.mkdir(exist_ok=True)
    (path / "config.json").write_text(json.dumps(data))
    return path / "config.json"


@EVERY
def test_a_tape_has_as_many_cells_as_before(data: dict[str, Any], tmp_path: Path) -> None:
    network = load_config(write(tmp_path, data)).network
    task = get_task(network.task).on(network.tape)
    assert [task.length(size) for size in range(1, 201)] == [former_cells(data, size) for size in range(1, 201)]


@EVERY
def test_there_are_as_many_steps_as_cells(data: dict[str, Any], tmp_path: Path) -> None:
    steps = load_config(write(tmp_path, data)).network.steps
    assert [steps(cells) for cells in range(1, 1000)] == list(range(1, 1000))


@EVERY
def test_the_model_is_that_of_its_keys(data: dict[str, Any], tmp_path: Path) -> None:
    model = load_config(write(tmp_path, data)).network.model
    assert model.kind == ("neural-gpu" if data["recipe"] == "paper" else "diagonal")
    assert vars(model) == data["settings"]["model"]


@EVERY
def test_the_alphabet_is_the_task_s_and_only_arithmetic_fills_its_tape_with_zeros(data: dict[str, Any]) -> None:
    network = converted(data)
    assert network["alphabet"] == ALPHABETS[data["task"]]
    assert network["tape"]["fill"] == ("0" if data["task"] in ("badd", "bmul") else None)


FORMER = ["bmul", "copy-paper", "duplicate-paper", "reverse-paper", "sort-paper"]
"""Shipped networks that were trained before there was format 2."""


@pytest.mark.parametrize("name", FORMER)
def test_the_shipped_networks_were_converted_like_this(name: str) -> None:
    network = json.loads((zoo.HERE / name / "config.json").read_text())["network"]
    assert network in [converted(data) for data in SHIPPED]


def test_levels_that_the_first_configurations_did_not_write_are_none() -> None:
    model = {"maps": 24, "kernel": 3}
    assert converted({"task": "badd", "settings": {"model": model}})["model"]["levels"] == 0


def test_the_training_stays_as_it_was() -> None:
    assert convert(SHIPPED[0])["training"] == SHIPPED[0]


def former_directory(path: Path, name: str) -> Path:
    """A shipped network with the configuration of format 1 and the weights without a digest that it had."""
    config = json.loads((zoo.HERE / name / "config.json").read_text())["network"]
    write(path, next(data for data in SHIPPED if converted(data) == config))
    weights = safetensors.torch.load_file(zoo.HERE / name / "model.safetensors")
    (path / "model.safetensors").write_bytes(safetensors.torch.save(weights, metadata={"state": "{}"}))
    return path


@pytest.mark.parametrize("name", ["bmul", "duplicate-paper", "copy-paper"])
def test_a_directory_of_format_1_answers_as_before(name: str, tmp_path: Path) -> None:
    former, now = load(former_directory(tmp_path, name)), load(name)
    tapes = now.task.sample(np.random.default_rng(0), 20, 8).inputs
    assert np.array_equal(former.answers(tapes), now.answers(tapes))
    assert former(former.task.example()) == former.task.answer(former.task.example())


def test_a_run_of_format_1_is_not_resumed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = former_directory(tmp_path, "copy-paper")
    assert error_of(capsys, "train", "--resume", str(path)) == (
        f"{path}: this run was begun by an older version, whose checkpoints cannot be continued; its network can be "
        "used as it is, and `ngpu train` begins a new run\n"
    )


NOT_WRITTEN = "this configuration of format 1 is not as it was written: "


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"task": "bad"}, "unknown task 'bad'; did you mean badd?"),
        ({"task": 3}, f"{NOT_WRITTEN}expected string or bytes-like object, got 'int'"),
        ({"settings": {}}, f"{NOT_WRITTEN}'model'"),
        ({"settings": {"model": 3}}, f"{NOT_WRITTEN}'int' object is not iterable"),
        ({"settings": {"model": {"maps": 24}}}, "'kernel' is missing; every key is written by `ngpu train`"),
        ({"settings": {"model": {}, "slack": "4"}}, f"{NOT_WRITTEN}unsupported operand type(s) for -: 'str' and 'int'"),
        (
            {"settings": {"model": {}, "slack": 0, "stretch": 0.5}},
            "a stretch of 0.5 in format 1 has no counterpart in format 2; use neuralgpu 0.1 for this network",
        ),
    ],
)
def test_a_configuration_that_cannot_be_converted_is_named(change: dict[str, Any], said: str, tmp_path: Path) -> None:
    path = write(tmp_path, SHIPPED[0] | change)
    with pytest.raises(UserError) as refused:
        load_config(path)
    assert str(refused.value) == f"{path}: {said}"
