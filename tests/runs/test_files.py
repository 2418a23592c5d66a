from pathlib import Path

import pytest
import torch

from neuralgpu.errors import UserError
from neuralgpu.runs.files import load_tensors, save_tensors, write_atomically

TENSORS = {"a": torch.arange(6.0).reshape(2, 3), "b": torch.tensor(1.5)}


def test_tensors_and_state_survive_the_file(tmp_path: Path) -> None:
    save_tensors(tmp_path / "x.safetensors", TENSORS, {"step": 3, "losses": [0.1]})
    tensors, state = load_tensors(tmp_path / "x.safetensors")
    assert state == {"step": 3, "losses": [0.1]}
    assert all(torch.equal(tensors[name], TENSORS[name]) for name in TENSORS)


def test_a_cut_file_is_called_damaged(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    save_tensors(path, TENSORS, {})
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(UserError, match=r"x\.safetensors is damaged"):
        load_tensors(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"x\.safetensors does not exist; train first, or name another directory$"):
        load_tensors(tmp_path / "x.safetensors")


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
