"""Runs whose files were damaged go on from what is whole, and say so."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import neuralgpu
from neuralgpu.errors import UserError
from neuralgpu.runs.config import load_config
from neuralgpu.runs.files import load_tensors, save_tensors
from trainers import PAPER


def stopped_at(step: int, out: Path) -> Path:
    """A run that was stopped after this step; both of its last two have a checkpoint."""
    looks = iter(range(1000))
    neuralgpu.train(
        "copy", "paper", out=out, max_steps=25, stop=lambda: next(looks) == step, checkpoint_seconds=0, **PAPER
    )
    return out


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The weights of the same run where nothing happens."""
    out = tmp_path_factory.mktemp("runs") / "whole"
    neuralgpu.train("copy", "paper", out=out, max_steps=25, evaluate_count=0, **PAPER)
    return (out / "model.safetensors").read_bytes()


def changed_state(change: Callable[[dict[str, Any]], Any]) -> Callable[[Path], None]:
    """Rewrites a checkpoint with its state changed and a digest that fits."""

    def rewrite(path: Path) -> None:
        digest = load_config(path.parent.parent / "config.json").run_digest
        tensors, state = load_tensors(path, digest)
        change(state)
        save_tensors(path, tensors, state, digest)

    return rewrite


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(path.read_bytes()[:-1]),
        lambda path: (path.unlink(), path.mkdir()),
        changed_state(lambda state: state.update(step="13")),
        changed_state(lambda state: state.update(seconds=None)),
        changed_state(lambda state: state.update(results=[{"loss": []}])),
        changed_state(lambda state: state.update(record={"size": "x"})),
        changed_state(lambda state: state["counters"].update(rate="fast")),
        changed_state(lambda state: state["counters"].update(curriculum=[])),
        changed_state(lambda state: state["counters"]["curriculum"].update(seen=[3])),
        changed_state(lambda state: state.pop("counters")),
    ],
)
def test_the_checkpoint_before_a_damaged_one_leads_to_the_same_bits(
    damage: Callable[[Path], object], whole: bytes, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    run = stopped_at(13, tmp_path / "run")
    damage(run / "checkpoints" / "step-00000013.safetensors")
    assert neuralgpu.resume(run, evaluate_count=0).result.finished
    assert (run / "model.safetensors").read_bytes() == whole
    assert [message.endswith("; the run goes on from step-00000012.safetensors") for message in caplog.messages] == [
        True
    ]


def test_a_damaged_record_is_no_obstacle(whole: bytes, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    run = stopped_at(23, tmp_path / "run")
    lines = (run / "metrics.jsonl").read_bytes().splitlines(keepends=True)
    (run / "metrics.jsonl").write_bytes(lines[0] + b"\xff" + lines[1])
    assert neuralgpu.resume(run, evaluate_count=0).result.finished
    assert (run / "model.safetensors").read_bytes() == whole
    assert [json.loads(line)["step"] for line in (run / "metrics.jsonl").read_text().splitlines()] == [10, 25]
    assert caplog.messages == [f"{run / 'metrics.jsonl'} is damaged; 1 of its lines can be read and are kept"]


def test_a_run_that_is_being_trained_is_not_resumed(tmp_path: Path) -> None:
    run = stopped_at(3, tmp_path / "run")

    def resume_too(now: object) -> None:
        with pytest.raises(UserError, match=r"run is in use by process \d+ on "):
            neuralgpu.resume(run)

    neuralgpu.resume(run, evaluate_count=0, progress=resume_too)
