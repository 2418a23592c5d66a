"""config.json, format 2: what is written, what is read, and what is told about a file that is wrong."""

import json
import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from command import error_of, ngpu
from neuralgpu import load, trace, zoo
from neuralgpu.errors import UserError
from neuralgpu.models.config import DiagonalConfig, NeuralGPUConfig
from neuralgpu.models.steps import Steps
from neuralgpu.runs.config import FORMAT, NetworkConfig, RunConfig, load_config, setting_values
from neuralgpu.tasks import Tape
from signing import sign

DIAGONAL = RunConfig(
    NetworkConfig("bmul", "01*", Tape(1.5, 31, "0"), Steps(), DiagonalConfig(maps=24, levels=2)),
    {"recipe": "exact", "seed": 7, "settings": {"kind": "staged", "fit": {"lengths": [8, 12]}}},
)
CGRU = RunConfig(NetworkConfig("copy", "01", Tape(), Steps(per_cell=1.5, extra=4), NeuralGPUConfig(layers=3)), {})

Change = Callable[[dict[str, Any]], object]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "config.json"
    file.write_text(DIAGONAL.to_json())
    return file


def rewrite(path: Path, change: Change) -> None:
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))


def complaint(path: Path) -> str:
    """What is told about a file, which is always named, in one line."""
    with pytest.raises(UserError) as refused:
        load_config(path)
    assert str(refused.value).startswith(f"{path}")
    assert "\n" not in str(refused.value)
    return str(refused.value).removeprefix(f"{path}").removeprefix(": ").strip()


def leaves(tree: dict[str, Any], *above: str) -> list[tuple[str, ...]]:
    """The path of every key that a file holds."""
    found = []
    for name, value in tree.items():
        found += [(*above, name)] + (leaves(value, *above, name) if isinstance(value, dict) else [])
    return found


# What is written


@pytest.mark.parametrize("config", [DIAGONAL, CGRU], ids=["diagonal", "neural-gpu"])
def test_a_configuration_survives_the_file(config: RunConfig, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(config.to_json())
    assert load_config(tmp_path / "config.json") == config


def test_every_key_of_a_network_is_written() -> None:
    written = json.loads(DIAGONAL.to_json())
    assert written["format"] == FORMAT == 2
    assert written["network"] == {
        "task": "bmul",
        "alphabet": "01*",
        "tape": {"per_symbol": 1.5, "extra": 31, "fill": "0"},
        "steps": {"per_cell": 1.0, "extra": 0},
        "model": {"kind": "diagonal", "maps": 24, "kernel": 3, "levels": 2},
    }


def test_a_neural_gpu_writes_its_defaults_too() -> None:
    assert json.loads(CGRU.to_json())["network"]["model"] == {
        "kind": "neural-gpu",
        "layers": 3,
        "width": 4,
        "maps": 24,
        "kernel_width": 3,
        "kernel_height": 3,
        "cutoff": True,
        "tanh_embedding": False,
    }


@pytest.mark.parametrize("name", zoo.names())
def test_the_shipped_configurations_are_written_as_this_version_writes_them(name: str) -> None:
    path = zoo.HERE / name / "config.json"
    assert load_config(path).to_json() == path.read_text()


def test_settings_are_found_by_name_whatever_part_they_stand_in() -> None:
    values = setting_values(DIAGONAL)
    assert (values["maps"], values["tape.extra"], values["seed"], values["fit.lengths"]) == (24, 31, 7, [8, 12])


def test_settings_of_the_network_are_those_of_its_weights_not_of_the_first_attempt() -> None:
    first = replace(DIAGONAL.network, model=DiagonalConfig(maps=48))
    run = RunConfig(DIAGONAL.network, {**DIAGONAL.training, "network": first.to_dict()})
    assert setting_values(run) == setting_values(DIAGONAL)


# What is wrong with a file


@pytest.mark.parametrize("place", leaves(json.loads(DIAGONAL.to_json())["network"]), ids=".".join)
def test_a_missing_key_is_named(place: tuple[str, ...], path: Path) -> None:
    def remove(data: dict[str, Any]) -> None:
        tree = data["network"]
        for name in place[:-1]:
            tree = tree[name]
        del tree[place[-1]]

    rewrite(path, remove)
    said = complaint(path)
    assert place[-1] in said
    assert "is missing" in said or said == "the model's kind is None; it must be a text such as 'neural-gpu'"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda d: d.update(netwrk=1), "unknown setting 'netwrk'; did you mean network?"),
        (lambda d: d["network"].update(tsk=1), "unknown setting 'tsk'; did you mean task?"),
        (lambda d: d["network"]["tape"].update(fil=1), "unknown setting 'tape.fil'; did you mean fill?"),
        (lambda d: d["network"]["steps"].update(zzz=1), "unknown setting 'steps.zzz'; known: extra, per_cell"),
        (lambda d: d["network"]["model"].update(mpas=1), "unknown setting 'mpas'; did you mean maps?"),
        (lambda d: d["network"]["model"].update(width=1), "unknown setting 'width'; known: kernel, levels, maps"),
    ],
)
def test_an_unknown_key_is_named_with_the_nearest_of_its_group(change: Change, said: str, path: Path) -> None:
    rewrite(path, change)
    assert complaint(path) == said


@pytest.mark.parametrize(
    ("group", "name", "value", "said"),
    [
        (None, "task", 3, "task: Input should be a valid string"),
        (None, "alphabet", None, "alphabet: Input should be a valid string"),
        (None, "tape", [], "tape: Input should be an object"),
        (None, "model", "diagonal", "model: Input should be an object"),
        ("tape", "extra", 1.5, "tape.extra: Input should be a valid integer"),
        ("tape", "extra", True, "tape.extra: Input should be a valid integer"),
        ("tape", "fill", 0, "tape.fill: Input should be a valid string"),
        ("steps", "per_cell", "1", "steps.per_cell: Input should be a valid number"),
        ("model", "maps", 24.0, "maps: Input should be a valid integer"),
        ("model", "maps", "24", "maps: Input should be a valid integer"),
        ("model", "kind", 3, "the model's kind is 3; it must be a text such as 'neural-gpu'"),
        ("model", "kind", "diagonl", "unknown kind of model 'diagonl'; did you mean diagonal?"),
    ],
)
def test_a_value_of_the_wrong_type_is_named(group: str | None, name: str, value: Any, said: str, path: Path) -> None:
    rewrite(path, lambda data: (data["network"][group] if group else data["network"]).update({name: value}))
    assert complaint(path).startswith(said)


@pytest.mark.parametrize(
    ("group", "name", "value", "said"),
    [
        ("tape", "per_symbol", 0.5, "per_symbol is 0.5; it must be at least 1"),
        ("tape", "per_symbol", float("nan"), "per_symbol is nan; it must be at least 1"),
        ("tape", "per_symbol", float("inf"), "per_symbol is inf; it must be at least 1"),
        ("tape", "per_symbol", 1e300, "per_symbol is 1e+300; it must be at least 1"),
        ("tape", "extra", -1, "extra is -1; it must be from 0 to 100000"),
        ("tape", "extra", 2**31, "extra is 2147483648; it must be from 0 to 100000"),
        ("steps", "per_cell", float("nan"), "steps.per_cell is nan; it must be from 0 to 1000"),
        ("steps", "per_cell", float("-inf"), "steps.per_cell is -inf; it must be from 0 to 1000"),
        ("steps", "extra", -1, "steps.extra is -1; it must be from 0 to 100000"),
        ("model", "maps", 0, "maps is 0; it must be from 1 to 1024"),
        ("model", "maps", 10**400, "maps is 1000"),
        ("model", "maps", 25, "maps is 25; it must be a multiple of 3"),
        ("model", "kernel", 4, "kernel is 4; it must be odd"),
    ],
)
def test_a_value_out_of_range_is_told_in_the_words_of_its_setting(
    group: str, name: str, value: float, said: str, path: Path
) -> None:
    rewrite(path, lambda data: data["network"][group].update({name: value}))
    assert complaint(path).startswith(said)


def test_a_newer_format_asks_for_an_upgrade(path: Path) -> None:
    rewrite(path, lambda data: data.update(format=99, something="new"))
    assert complaint(path) == "has format 99, newer than 2, the newest known here; upgrade neuralgpu"


@pytest.mark.parametrize("content", ["[]", "{}", '"text"', '{"format": "2"}', '{"format": true}', '{"format": 2.0}'])
def test_a_file_without_a_format_is_no_configuration(content: str, path: Path) -> None:
    path.write_text(content)
    assert complaint(path) == "has no format; name a config.json made by `ngpu train`"


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b'{"format": 2, "task": "\xe9"}', b"1" * 5000])
def test_a_file_that_is_no_json_of_utf_8_is_named(content: bytes, path: Path) -> None:
    path.write_bytes(content)
    assert complaint(path).startswith("is not valid JSON: ")


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


@pytest.mark.parametrize("depth", [250, 900, 960, 980, 990, 995, 1000, 100_000])
def test_a_file_that_is_nested_deeply_is_named(depth: int, path: Path) -> None:
    data = json.loads(path.read_text())
    data["network"]["task"] = "HERE"
    path.write_text(json.dumps(data).replace('"HERE"', nested(depth)))
    assert re.search("nested too deeply|recursion limit exceeded", complaint(path))


def test_a_directory_in_its_place_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.json").mkdir()
    assert complaint(tmp_path / "config.json") == "is not a file; name a run directory made by `ngpu train`"


def test_a_pipe_in_its_place_is_named_instead_of_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "config.json")
    assert complaint(tmp_path / "config.json") == "is not a file; name a run directory made by `ngpu train`"


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (tmp_path, tmp_path / "file"):
        assert complaint(folder / "config.json") == "does not exist; name a run directory made by `ngpu train`"


# Who reads which part


GARBAGE: list[Any] = [
    "garbage",
    None,
    3,
    [],
    {},
    {"recipe": 3, "settings": "none"},
    {"settings": {"kind": "unheard of"}},
]


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """The shipped network `copy` in a directory that can be written to."""
    for file in ("config.json", "model.safetensors"):
        (tmp_path / file).write_bytes((zoo.HERE / "copy" / file).read_bytes())
    return tmp_path


@pytest.mark.parametrize("training", GARBAGE, ids=json.dumps)
def test_a_network_is_used_whatever_its_training_part_holds(training: object, copied: Path) -> None:
    rewrite(copied / "config.json", lambda data: data.update(training=training))
    assert load(copied)("0110") == "0110"


def test_a_network_is_used_without_a_training_part(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rewrite(copied / "config.json", lambda data: data.pop("training"))
    assert load(copied)("0110") == "0110"
    assert trace(copied, "0110").answers.shape == (11, 4)  # 1.5 steps for each of four cells, and four more
    assert ngpu(capsys, "run", str(copied), "0110")[:2] == (0, "0110   (correct)\n")


def test_a_deeply_nested_training_part_is_no_obstacle(copied: Path) -> None:
    data = json.loads((copied / "config.json").read_text()) | {"training": "HERE"}
    (copied / "config.json").write_text(json.dumps(data).replace('"HERE"', nested(300)))
    assert load(copied)("0110") == "0110"


@pytest.mark.parametrize(
    ("training", "said"),
    [
        ("garbage", "'recipe' is missing; every key is written by `ngpu train`"),
        ({"recipe": "exact"}, "'seed' is missing; every key is written by `ngpu train`"),
        ({"source": 3}, "source is 3; it must be an object with file, sha256 and words"),
        ({"source": {"file": "a"}}, "'sha256' is missing; every key is written by `ngpu train`"),
    ],
)
def test_a_training_part_that_is_none_is_named_when_the_run_is_to_go_on(
    training: object, said: str, copied: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rewrite(copied / "config.json", lambda data: data.update(training=training))
    assert error_of(capsys, "train", "--resume", str(copied)) == f"{copied}: {said}\n"


def test_a_task_that_is_not_known_here_is_no_obstacle_to_running_a_network(copied: Path) -> None:
    rewrite(copied / "config.json", lambda data: data["network"].update(task="parrot"))
    sign(copied)
    network = load(copied)
    assert network("0110") == "0110"
    assert network.task.answer("0110") is None


def test_a_known_task_with_another_alphabet_is_refused(copied: Path) -> None:
    rewrite(copied / "config.json", lambda data: data["network"].update(alphabet="ab"))
    with pytest.raises(UserError, match=r"^the alphabet of copy is 'ab' there and '01' here; two tasks"):
        load(copied)
