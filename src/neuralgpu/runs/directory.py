"""A run is a directory: config.json, metrics.jsonl, TensorBoard events, checkpoints and model.safetensors."""

import contextlib
import hashlib
import json
import logging
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from torch import Tensor

from neuralgpu.errors import UserError
from neuralgpu.runs.config import NetworkConfig, RunConfig, load_config
from neuralgpu.runs.files import load_tensors, read_bytes, save_tensors, write_atomically
from neuralgpu.runs.lock import UnlockableError, locked

LOG = logging.getLogger(__name__)
"""Says what of a run was damaged and what stands in for it."""

CHECKPOINT = re.compile(r"step-(\d{1,18})\.safetensors")
KEPT = 2
"""Checkpoints kept; the one before the last stands in for a last one that the disk damaged."""


@dataclass(frozen=True)
class Record:
    """How far metrics.jsonl was written when a checkpoint was saved."""

    size: int
    """bytes"""
    digest: str
    """of these bytes"""


class RunDirectory:
    """The files of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config = load_config(path / "config.json")

    @classmethod
    def create(cls, path: Path, config: RunConfig) -> "RunDirectory":
        """Begin a run in a directory that holds none yet."""
        _check_free(path)
        try:
            (path / "checkpoints").mkdir(parents=True, exist_ok=True)
            with _lock(path):
                _check_free(path)  # nobody else has begun one meanwhile
                write_atomically(path / "config.json", config.to_json().encode())
        except OSError as error:
            raise UserError(f"cannot write to {path}: {error.strerror}; choose another --out") from None
        return cls(path)

    def describe(self, network: NetworkConfig) -> None:
        """Say in config.json what network the weights to come belong to, where that is another one."""
        if network != self.config.network:
            changed = replace(self.config, network=network)
            write_atomically(self.path / "config.json", changed.to_json().encode())
            self.config = load_config(self.path / "config.json")

    def lock(self, wait: bool = False) -> contextlib.AbstractContextManager[None]:
        """The right to write here; a UserError names the process that has it, or `wait` waits for that to end."""
        return _lock(self.path, wait)

    @property
    def metrics_path(self) -> Path:
        """One JSON object a line, the durable record of the run."""
        return self.path / "metrics.jsonl"

    @property
    def model_path(self) -> Path:
        """The weights as of the last checkpoint."""
        return self.path / "model.safetensors"

    def save(
        self, step: int, tensors: Mapping[str, Tensor], model: Mapping[str, Tensor], state: dict[str, Any]
    ) -> None:
        """Write a checkpoint and the model's weights, and remove checkpoints that are no longer needed."""
        checkpoints = self.path / "checkpoints"
        checkpoints.mkdir(exist_ok=True)
        for path in (self.model_path, *self._checkpoints()):
            if path.is_dir():  # nobody knows how it came there, but it must not stand in the way
                _put_aside(path)
        save_tensors(checkpoints / f"step-{step:08d}.safetensors", tensors, state, self.config.run_digest)
        save_tensors(self.model_path, model, {"step": step}, self.config.network_digest)
        for old in self._checkpoints()[:-KEPT]:
            old.unlink(missing_ok=True)

    def restore(self, take: Callable[[dict[str, Tensor], dict[str, Any]], None]) -> bool:
        """Let the newest checkpoint that can be read be taken; False if the run was cut before its first.

        A UserError of reading or taking it leads to the one before, and the log says so; what is damaged is renamed, to
        be out of the way of the checkpoints to come.
        """
        problems: dict[Path, UserError] = {}
        for path in reversed(self._checkpoints()):
            try:
                take(*load_tensors(path, self.config.run_digest))
            except UserError as error:
                problems[path] = error
                continue
            for bad, problem in problems.items():
                LOG.warning("%s; the run goes on from %s", problem, path.name)
                _put_aside(bad)
            return True
        for problem in problems.values():
            raise problem
        return False

    def _checkpoints(self) -> list[Path]:
        return sorted(path for path in (self.path / "checkpoints").glob("step-*") if CHECKPOINT.fullmatch(path.name))

    def record(self) -> Record:
        """How far metrics.jsonl is written."""
        content = self._metrics()
        return Record(len(content), _digest(content))

    def seconds(self) -> float:
        """The seconds spent in training, over all resumptions, as the record has them."""
        spent = [numbers.get("seconds", 0.0) for _, numbers in _readable_lines(self._metrics())]
        return spent[-1] if spent else 0.0

    def forget_metrics_after(self, step: int, record: Record | None = None) -> None:
        """Drop lines of steps that will be run again, a last line that was cut, and all from the first that cannot be
        read.

        `record` is how far the file was written when the checkpoint of this step was saved. The log says so where that
        part of it has changed.
        """
        content = self._metrics()
        if record and _digest(content[: record.size]) == record.digest:
            kept = content[: record.size]
        else:
            lines = list(_readable_lines(content))
            kept = b"".join(line for line, numbers in lines if numbers.get("step", step) <= step)
            rest = content[sum(len(line) for line, _ in lines) :]
            if record or b"\n" in rest:
                count = kept.count(b"\n")
                LOG.warning("%s is damaged; %d of its lines can be read and are kept", self.metrics_path, count)
        if kept != content:
            write_atomically(self.metrics_path, kept)

    def _metrics(self) -> bytes:
        return read_bytes(self.metrics_path) if self.metrics_path.exists() else b""


def _put_aside(path: Path) -> None:
    """Rename what is damaged, if that can be done."""
    with contextlib.suppress(OSError):
        path.replace(path.with_name(f"{path.name}.damaged"))


def _readable_lines(content: bytes) -> Iterator[tuple[bytes, dict[str, float]]]:
    """The lines before the first that is no object of numbers, or has no end yet."""
    for line in content.splitlines(keepends=True):
        try:
            numbers = json.loads(line) if line.endswith(b"\n") else None
        except (ValueError, RecursionError):
            return
        if not isinstance(numbers, dict) or not all(type(number) in (int, float) for number in numbers.values()):
            return
        yield line, numbers


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _check_free(path: Path) -> None:
    if (path / "config.json").exists():
        raise UserError(f"{path} already holds a run; go on with --resume {path}, or choose another --out")


@contextlib.contextmanager
def _lock(path: Path, wait: bool = False) -> Iterator[None]:
    """The lock of a run directory; there is none where the file system has no locks."""
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(UnlockableError):
            stack.enter_context(locked(path / ".lock", wait))
        yield
