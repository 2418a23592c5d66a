import json
import os
from collections.abc import Mapping
from pathlib import Path

import pytest
import safetensors.torch
import torch
from torch import Tensor

from neuralgpu.errors import UserError
from neuralgpu.runs.files import load_tensors, read_bytes, save_tensors, write_atomically

TENSORS = {"a": torch.arange(6.0).reshape(2, 3), "b": torch.tensor(1.5), "steps": torch.tensor([1, 2])}
CONFIG = "that of the configuration"


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "x.safetensors"
    save_tensors(path, TENSORS, {"step": 3, "losses": [0.1]}, CONFIG)
    return path


def test_the_same_tensors_give_the_same_bytes(saved: Path, tmp_path: Path) -> None:
    for _ in range(10):
        save_tensors(tmp_path / "again", TENSORS, {"step": 3, "losses": [0.1]}, CONFIG)
        assert (tmp_path / "again").read_bytes() == saved.read_bytes()


def refusal(path: Path, config: str = CONFIG) -> str:
    with pytest.raises(UserError) as refused:
        load_tensors(path, config)
    return str(refused.value)


def test_tensors_and_state_survive_the_file(saved: Path) -> None:
    tensors, state = load_tensors(saved, CONFIG)
    assert state == {"step": 3, "losses": [0.1]}
    assert all(torch.equal(tensors[name], TENSORS[name]) for name in TENSORS)


def test_a_cut_file_is_called_damaged(saved: Path) -> None:
    saved.write_bytes(saved.read_bytes()[:-5])
    assert "x.safetensors is damaged" in refusal(saved)


def test_every_flipped_byte_is_noticed_or_changes_nothing(saved: Path) -> None:
    whole = saved.read_bytes()
    for place in range(len(whole)):
        saved.write_bytes(whole[:place] + bytes([whole[place] ^ 0x04]) + whole[place + 1 :])
        try:
            tensors, state = load_tensors(saved, CONFIG)
        except UserError:
            continue
        assert state == {"step": 3, "losses": [0.1]}
        assert all(torch.equal(tensors[name], TENSORS[name]) for name in TENSORS)


def test_a_zeroed_tail_is_noticed(saved: Path) -> None:
    whole = saved.read_bytes()
    saved.write_bytes(whole[:-20] + bytes(20))
    assert refusal(saved) == f"{saved} is damaged (its content does not match its digest); restore it, or train again"


def test_a_file_of_another_configuration_is_refused(saved: Path) -> None:
    assert "x.safetensors does not belong to the config.json there" in refusal(saved, "that of another")


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_numbers_that_are_not_finite_are_refused(number: float, tmp_path: Path) -> None:
    save_tensors(tmp_path / "x", {"U": torch.tensor([1.0, number])}, {}, CONFIG)
    assert refusal(tmp_path / "x").startswith(f"U in {tmp_path / 'x'} holds numbers that are not finite")


def write_foreign(path: Path, tensors: Mapping[str, Tensor], metadata: dict[str, str]) -> None:
    path.write_bytes(safetensors.torch.save(dict(tensors), metadata=metadata))


@pytest.mark.parametrize("metadata", [{}, {"state": '{"step": 3}'}, {"format": "pt"}])
def test_a_file_of_a_version_before_the_digest_is_read(metadata: dict[str, str], tmp_path: Path) -> None:
    write_foreign(tmp_path / "x", TENSORS, metadata)
    tensors, state = load_tensors(tmp_path / "x", CONFIG)
    assert torch.equal(tensors["a"], TENSORS["a"])
    assert state == json.loads(metadata.get("state", "{}"))


@pytest.mark.parametrize(
    ("metadata", "reason"),
    [
        ({"neuralgpu": "{}"}, "its metadata lacks one of state, config, digest"),
        ({"neuralgpu": "3"}, "its metadata lacks one of state, config, digest"),
        ({"neuralgpu": "{}", "state": "{}"}, "its metadata has 'neuralgpu'"),
        ({"neuralgpv": "{}"}, "its metadata has 'neuralgpv'"),
        ({"state": "[" * 100_000}, "maximum recursion depth exceeded"),
        ({"state": "[1]"}, "its state is no object"),
        ({"state": "{"}, "Expecting property name"),
    ],
)
def test_metadata_that_nobody_writes_are_called_damage(metadata: dict[str, str], reason: str, tmp_path: Path) -> None:
    write_foreign(tmp_path / "x", TENSORS, metadata)
    assert f"x is damaged ({reason}" in refusal(tmp_path / "x")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    assert refusal(path) == f"{path} does not exist; train first, or name another directory"


def test_a_directory_or_a_pipe_in_the_place_of_a_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        assert refusal(path).startswith(f"{path} is not a file")
        with pytest.raises(UserError, match="is not a file"):
            read_bytes(path)


def test_writing_leaves_no_temporary_file(tmp_path: Path) -> None:
    write_atomically(tmp_path / "x", b"new")
    assert [file.name for file in tmp_path.iterdir()] == ["x"]


def test_a_failed_write_keeps_the_old_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x").write_bytes(b"old")

    def full_disk(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full_disk)
    with pytest.raises(OSError, match="No space left"):
        write_atomically(tmp_path / "x", b"new")
    assert (tmp_path / "x").read_bytes() == b"old"
