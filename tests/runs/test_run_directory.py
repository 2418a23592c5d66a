from pathlib import Path

import pytest
import torch

from neuralgpu.errors import UserError
from neuralgpu.models.config import NeuralGPUConfig
from neuralgpu.models.steps import Steps
from neuralgpu.runs.config import NetworkConfig, RunConfig
from neuralgpu.runs.directory import KEPT, RunDirectory
from neuralgpu.tasks import Tape

CONFIG = RunConfig(NetworkConfig("copy", "01", Tape(), Steps(), NeuralGPUConfig()), {"seed": 3})
TENSORS = {"a": torch.arange(6.0).reshape(2, 3), "b": torch.tensor(1.5)}


@pytest.fixture
def directory(tmp_path: Path) -> RunDirectory:
    return RunDirectory.create(tmp_path / "run", CONFIG)


def test_a_run_keeps_its_configuration(directory: RunDirectory) -> None:
    assert RunDirectory(directory.path).config == CONFIG


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


def test_the_seconds_of_a_run_are_those_of_its_last_metrics(directory: RunDirectory) -> None:
    assert directory.seconds() == 0
    directory.metrics_path.write_text('{"seconds": 1.5}\n{"seconds": 2.5}\n')
    assert directory.seconds() == 2.5
