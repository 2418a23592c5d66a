import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
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


def save(directory: RunDirectory, *steps: int) -> None:
    for step in steps:
        directory.save(step, TENSORS, TENSORS, {"step": step})


def restored(directory: RunDirectory) -> int | None:
    """The step of the checkpoint that is taken; None where there is none."""
    steps: list[int] = []
    assert directory.restore(lambda tensors, state: steps.append(state["step"])) == bool(steps)
    return steps[0] if steps else None


def checkpoints(directory: RunDirectory) -> list[str]:
    return sorted(path.name for path in (directory.path / "checkpoints").iterdir())


def test_a_new_run_has_no_checkpoint(directory: RunDirectory) -> None:
    assert restored(directory) is None


def test_the_newest_checkpoint_is_found_and_old_ones_are_removed(directory: RunDirectory) -> None:
    save(directory, *range(1, 12))
    assert restored(directory) == 11
    assert len(checkpoints(directory)) == KEPT


def damage(path: Path) -> None:
    path.write_bytes(b"damaged")


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-3] ^= 1
    path.write_bytes(content)


def replace_by_a_directory(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "file").write_text("")


@pytest.mark.parametrize("change", [damage, flip, replace_by_a_directory])
def test_a_damaged_checkpoint_gives_way_to_the_one_before_and_this_is_said(
    change: Callable[[Path], None], directory: RunDirectory, caplog: pytest.LogCaptureFixture
) -> None:
    save(directory, 1, 2)
    change(directory.path / "checkpoints" / "step-00000002.safetensors")
    assert restored(directory) == 1
    (said,) = caplog.messages
    assert "step-00000002.safetensors is " in said
    assert said.endswith("; the run goes on from step-00000001.safetensors")
    save(directory, 2)
    assert restored(directory) == 2
    assert checkpoints(directory) == [
        "step-00000001.safetensors",
        "step-00000002.safetensors",
        "step-00000002.safetensors.damaged",
    ]


def test_a_checkpoint_that_cannot_be_taken_gives_way_too(directory: RunDirectory) -> None:
    save(directory, 1, 2)
    taken = []

    def take(tensors: object, state: dict[str, int]) -> None:
        if state["step"] == 2:
            raise UserError("it has another shape")
        taken.append(state["step"])

    assert directory.restore(take)
    assert taken == [1]


def test_when_all_checkpoints_are_damaged_it_is_said_and_they_stay(directory: RunDirectory) -> None:
    save(directory, 1)
    damage(directory.path / "checkpoints" / "step-00000001.safetensors")
    with pytest.raises(UserError, match="is damaged"):
        restored(directory)
    assert checkpoints(directory) == ["step-00000001.safetensors"]


def test_a_checkpoint_of_another_seed_is_refused(directory: RunDirectory) -> None:
    save(directory, 1)
    file = directory.path / "config.json"
    file.write_text(file.read_text().replace('"seed": 3', '"seed": 4'))
    with pytest.raises(UserError, match=r"does not belong to the config\.json there"):
        restored(RunDirectory(directory.path))


def test_threads_and_device_may_change(directory: RunDirectory) -> None:
    save(directory, 1)
    file = directory.path / "config.json"
    file.write_text(file.read_text().replace('"seed": 3', '"seed": 3, "threads": 2, "device": "cuda"'))
    assert restored(RunDirectory(directory.path)) == 1


def test_metrics_after_a_step_and_cut_lines_are_forgotten(directory: RunDirectory) -> None:
    directory.metrics_path.write_text('{"step": 10}\n{"step": 20}\n{"step": 30}\n{"st')
    directory.forget_metrics_after(20)
    assert directory.metrics_path.read_text() == '{"step": 10}\n{"step": 20}\n'


def test_the_seconds_of_a_run_are_those_of_its_last_metrics(directory: RunDirectory) -> None:
    assert directory.seconds() == 0
    directory.metrics_path.write_text('{"seconds": 1.5}\n{"seconds": 2.5}\n')
    assert directory.seconds() == 2.5


LINES = [b'{"step": 10, "loss": 0.5}\n', b'{"step": 20, "loss": 0.25}\n', b'{"step": 30, "loss": 0.2}\n']


@pytest.mark.parametrize(
    "line", [b"\xff\xfe\n", b"{\n", b"[]\n", b'{"step": "x"}\n', b'{"step": null}\n', b"[" * 100_000 + b"\n"]
)
def test_metrics_are_cut_at_the_first_line_that_cannot_be_read_and_this_is_said(
    line: bytes, directory: RunDirectory, caplog: pytest.LogCaptureFixture
) -> None:
    directory.metrics_path.write_bytes(LINES[0] + line + LINES[2])
    directory.forget_metrics_after(30)
    assert directory.metrics_path.read_bytes() == LINES[0]
    path = directory.metrics_path
    assert caplog.messages == [f"{path} is damaged; 1 of its lines can be read and are kept"]


def test_a_changed_number_in_the_metrics_is_noticed(directory: RunDirectory, caplog: pytest.LogCaptureFixture) -> None:
    directory.metrics_path.write_bytes(b"".join(LINES))
    record = directory.record()
    directory.forget_metrics_after(30, record)
    assert caplog.messages == []
    directory.metrics_path.write_bytes(b"".join(LINES).replace(b"0.25", b"0.15"))
    directory.forget_metrics_after(30, record)
    assert caplog.messages == [f"{directory.metrics_path} is damaged; 3 of its lines can be read and are kept"]


def test_metrics_that_are_gone_are_missed(directory: RunDirectory, caplog: pytest.LogCaptureFixture) -> None:
    directory.metrics_path.write_bytes(b"".join(LINES))
    record = directory.record()
    directory.metrics_path.unlink()
    directory.forget_metrics_after(30, record)
    assert len(caplog.messages) == 1


def test_a_run_in_use_is_refused_and_its_process_named(directory: RunDirectory) -> None:
    with directory.lock(), pytest.raises(UserError) as refused, directory.lock():
        pass
    assert str(refused.value) == (
        f"{directory.path} is in use by process {os.getpid()} on {socket.gethostname()}; wait until it is done, or "
        "stop it"
    )


def test_a_lock_that_a_killed_process_left_holds_nobody_up(directory: RunDirectory) -> None:
    program = f"""
import os, signal
from pathlib import Path
from neuralgpu.runs.lock import locked
with locked(Path({str(directory.path / ".lock")!r})):
    os.kill(os.getpid(), signal.SIGKILL)
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == -signal.SIGKILL
    assert (directory.path / ".lock").read_text().startswith("process ")
    with directory.lock():
        assert (directory.path / ".lock").read_text() == f"process {os.getpid()} on {socket.gethostname()}"


def test_two_that_begin_in_one_directory_are_told_apart(directory: RunDirectory) -> None:
    (directory.path / "config.json").unlink()
    with directory.lock(), pytest.raises(UserError, match="is in use by process"):
        RunDirectory.create(directory.path, CONFIG)
