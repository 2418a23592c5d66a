"""A run that is killed with SIGKILL, at random moments, ends in the same bits as one that is not."""

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tiny import TINY

SETTINGS = {
    "paper": [*TINY, "--curriculum-threshold", "0", "--curriculum-block", "4", "--max-steps", "150"],
    "diagonal": ["--recipe", "diagonal", "--maps", "24", "--batch", "4", "--lengths", "9", "21", "--max-steps", "150"],
}
OPTIONS = ["--checkpoint-seconds", "0", "--evaluate-count", "0"]


def ngpu(*arguments: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, "-m", "neuralgpu.cli", "train", *arguments], stderr=subprocess.DEVNULL)


def last_step(run: Path) -> int:
    """The step of the newest checkpoint; 0 before the first."""
    names = [path.stem for path in (run / "checkpoints").glob("step-*.safetensors")]
    return max((int(name.removeprefix("step-")) for name in names), default=0)


def kill_after_a_while(process: "subprocess.Popen[bytes]", run: Path, wait: float) -> None:
    """Let a run get past its last checkpoint, wait, and kill it."""
    begun = last_step(run)
    while last_step(run) == begun and process.poll() is None:
        time.sleep(0.01)
    time.sleep(wait)
    process.kill()
    process.wait()


def metrics(run: Path) -> list[str]:
    """Its lines, without the seconds."""
    lines = (run / "metrics.jsonl").read_text().splitlines()
    return [", ".join(part for part in line.split(", ") if not part.startswith('"seconds"')) for line in lines]


@pytest.mark.parametrize(("recipe", "threads"), [("paper", "1"), ("paper", "2"), ("diagonal", "2")])
def test_killed_and_resumed_runs_end_in_identical_weights(tmp_path: Path, recipe: str, threads: str) -> None:
    moments = random.Random()
    waits = [moments.uniform(0, 0.2) for _ in range(3)]
    print("killed", waits, "seconds after a checkpoint")  # shown if the test fails
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    start = ["badd", *SETTINGS[recipe], "--threads", threads, *OPTIONS, "--out"]
    process, seen = ngpu(*start, str(killed)), []
    for wait in waits:
        kill_after_a_while(process, killed, wait)
        seen.append(last_step(killed))
        process = ngpu("--resume", str(killed), *OPTIONS)
    assert process.wait() == 0
    assert 0 < seen[0] < last_step(killed)  # it was killed on its way, and went on
    assert ngpu(*start, str(whole)).wait() == 0
    assert (killed / "model.safetensors").read_bytes() == (whole / "model.safetensors").read_bytes()
    assert metrics(killed) == metrics(whole)
