from pathlib import Path

import pytest
import torch

from neuralgpu.errors import UserError
from neuralgpu.training.checkpoint import load_tensors, save_tensors, write_atomically
from neuralgpu.training.config import RunConfig
from neuralgpu.training.directory import KEPT, RunDirectory
from neuralgpu.training.recipes import PAPER

CONFIG = RunConfig("copy", "paper", seed=0, settings=PAPER)
TENSORS = {"a": torch.arange(6.0).reshape(2, 3), "b": torch.tensor(1.5)}


@pytest.fixture
def directory(tmp_path: Path) -> RunDirectory:
    return RunDirectory.create(tmp_path / "run", CONFIG)


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


def test_a_directory_is_not_used_for_two_runs(directory: RunDirectory) -> None:
    with pytest.raises(UserError, match=f"already holds a run; go on with --resume {directory.path}"):
        RunDirectory.create(directory.path, CONFIG)


def test_an_unwritable_place_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match=r"cannot write to .*file/run: Not a directory; choose another --out"):
        RunDirectory.create(tmp_path / "file" / "run", CONFIG)


def test_a_new_run_has_no_checkpoint(directory: RunDirectory) -> None:
    assert directory.latest() is None


def test_the_newest_checkpoint_is_found_and_old_ones_are_removed(directory: RunDirectory) -> None:
    for step in range(1, 12):
        directory.save(step, TENSORS, TENSORS, {"step": step})
    latest = directory.latest()
    assert latest is not None
    assert latest[1] == {"step": 11}
    assert len(list((directory.path / "checkpoints").iterdir())) == KEPT


def test_a_damaged_checkpoint_gives_way_to_the_one_before(directory: RunDirectory) -> None:
    for step in (1, 2):
        directory.save(step, TENSORS, TENSORS, {"step": step})
    newest = max((directory.path / "checkpoints").iterdir())
    newest.write_bytes(b"damaged")
    latest = directory.latest()
    assert latest is not None
    assert latest[1] == {"step": 1}


def test_when_all_checkpoints_are_damaged_it_is_said(directory: RunDirectory) -> None:
    directory.save(1, TENSORS, TENSORS, {"step": 1})
    next((directory.path / "checkpoints").iterdir()).write_bytes(b"damaged")
    with pytest.raises(UserError, match="is damaged"):
        directory.latest()


def test_metrics_after_a_step_and_cut_lines_are_forgotten(directory: RunDirectory) -> None:
    directory.metrics_path.write_text('{"step": 10}\n{"step": 20}\n{"step": 30}\n{"st')
    directory.forget_metrics_after(20)
    assert directory.metrics_path.read_text() == '{"step": 10}\n{"step": 20}\n'
