"""A run is a directory: config.json, metrics.jsonl, TensorBoard events, checkpoints and model.safetensors."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch import Tensor

from neuralgpu.errors import UserError
from neuralgpu.runs.config import RunConfig, load_config
from neuralgpu.runs.files import load_tensors, save_tensors, write_atomically

KEPT = 2
"""Checkpoints kept; the one before the last stands in for a last one that the disk damaged."""


class RunDirectory:
    """The files of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config = load_config(path / "config.json")

    @classmethod
    def create(cls, path: Path, config: RunConfig) -> "RunDirectory":
        """Begin a run in a directory that holds none yet."""
        if (path / "config.json").exists():
            raise UserError(f"{path} already holds a run; go on with --resume {path}, or choose another --out")
        try:
            (path / "checkpoints").mkdir(parents=True, exist_ok=True)
            write_atomically(path / "config.json", config.to_json().encode())
        except OSError as error:
            raise UserError(f"cannot write to {path}: {error.strerror}; choose another --out") from None
        return cls(path)

    def describe(self, config: RunConfig) -> None:
        """Say in config.json what the weights are, where that has changed."""
        if config != self.config:
            write_atomically(self.path / "config.json", config.to_json().encode())
            self.config = config

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
        save_tensors(checkpoints / f"step-{step:08d}.safetensors", tensors, state)
        save_tensors(self.model_path, model, {"step": step})
        for old in self._checkpoints()[:-KEPT]:
            old.unlink(missing_ok=True)

    def latest(self) -> tuple[dict[str, Tensor], dict[str, Any]] | None:
        """The newest checkpoint that can be read; None if the run was cut before its first."""
        problem: UserError | None = None
        for path in reversed(self._checkpoints()):
            try:
                return load_tensors(path)
            except UserError as error:
                problem = problem or error
        if problem:
            raise problem
        return None

    def _checkpoints(self) -> list[Path]:
        return sorted((self.path / "checkpoints").glob("step-*.safetensors"))

    def seconds(self) -> float:
        """The seconds spent in training, over all resumptions, as the record has them."""
        lines = self.metrics_path.read_text().splitlines() if self.metrics_path.exists() else []
        return float(json.loads(lines[-1])["seconds"]) if lines else 0.0

    def forget_metrics_after(self, step: int) -> None:
        """Drop lines of steps that will be run again, and a last line that was cut."""
        if not self.metrics_path.exists():
            return
        kept = []
        for line in self.metrics_path.read_text().splitlines(keepends=True):
            if not line.endswith("\n") or json.loads(line)["step"] > step:
                break
            kept.append(line)
        write_atomically(self.metrics_path, "".join(kept).encode())
