"""Mutations of the files of a run: what is resumed or loaded is the same, or somebody says what was wrong."""

import json
import logging
import shutil
from pathlib import Path
from random import Random
from typing import Any

import torch

import neuralgpu
from fuzz import check_line
from fuzz.mutations import mutate
from neuralgpu.errors import UserError
from trainers import PAPER

STEPS = 32
SEEN = ("config.json", "metrics.jsonl", "model.safetensors", "checkpoints/*.safetensors", "events.*")


class Said(logging.Handler):
    """What the log said."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


class RunDirectories:
    """A run that was stopped two steps before its end, and how it ends where nothing happens to it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.stopped = folder / "stopped"
        looks = iter(range(STEPS))
        neuralgpu.train(
            "copy",
            "paper",
            out=self.stopped,
            max_steps=STEPS,
            stop=lambda: next(looks) == STEPS - 2,
            checkpoint_seconds=0,
            threads=1,
            **PAPER,
        )
        whole = shutil.copytree(self.stopped, folder / "whole")
        neuralgpu.resume(whole, evaluate_count=0)
        self.expected = _ending(whole)
        self.weights = _weights(self.stopped)

    def attempt(self, rng: Random) -> str:
        """Damage one file of the run, load it and go on with it: "same", "said", "refused", or an AssertionError."""
        run = self.folder / "damaged"
        shutil.rmtree(run, ignore_errors=True)
        shutil.copytree(self.stopped, run)
        path = rng.choice(sorted(path for pattern in SEEN for path in run.glob(pattern)))
        way = f"{path.relative_to(run)}: {mutate(rng, path)}"
        return f"{self._load(run, way)} when loaded, {self._resume(run, way)} when resumed"

    def _load(self, run: Path, way: str) -> str:
        try:
            weights = _weights(run)
        except UserError as error:
            check_line(error)
            return "refused"
        assert weights.keys() == self.weights.keys(), way
        assert all(torch.equal(weights[name], self.weights[name]) for name in weights), f"{way} changed what is loaded"
        return "same"

    def _resume(self, run: Path, way: str) -> str:
        said = Said()
        logger = logging.getLogger("neuralgpu")
        logger.addHandler(said)
        logger.propagate = False
        try:
            neuralgpu.resume(run, evaluate_count=0)
        except UserError as error:
            check_line(error)
            return "refused"
        finally:
            logger.removeHandler(said)
            logger.propagate = True
        weights, metrics = _ending(run)
        assert weights == self.expected[0], f"{way} changed the weights"
        assert metrics == self.expected[1] or said.lines, f"{way} changed the metrics, and nobody said so"
        return "said" if said.lines else "same"


def _weights(run: Path) -> dict[str, torch.Tensor]:
    return dict(neuralgpu.load(run, threads=1).model.state_dict())


def _ending(run: Path) -> tuple[bytes, list[dict[str, Any]]]:
    """The weights and the metrics without seconds."""
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    for line in lines:
        line.pop("seconds", None)
    return (run / "model.safetensors").read_bytes(), lines
