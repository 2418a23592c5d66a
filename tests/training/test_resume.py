"""A run that is killed with SIGKILL, at random moments, ends in the same bits as one that is not."""

import random
import subprocess
import sys
from pathlib import Path

from conftest import TINY
from neuralgpu.network import load

SETTINGS = [*TINY, "--max-steps", "150", "--curriculum-threshold", "0", "--curriculum-block", "4"]
OPTIONS = ["--threads", "1", "--checkpoint-seconds", "0", "--evaluate-count", "0"]


def ngpu(*arguments: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, "-m", "neuralgpu.cli", *arguments], stderr=subprocess.DEVNULL)


def steps_recorded(run: Path) -> list[str]:
    return [line.split(",")[0] for line in (run / "metrics.jsonl").read_text().splitlines()]


def test_killed_and_resumed_runs_end_in_identical_weights(tmp_path: Path) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    assert ngpu("train", "badd", *SETTINGS, *OPTIONS, "--out", str(whole)).wait() == 0
    process = ngpu("train", "badd", *SETTINGS, *OPTIONS, "--out", str(killed))
    moments = random.Random()
    kills = 0
    while process.returncode is None and kills < 4:
        try:
            process.wait(timeout=moments.uniform(2.5, 5))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            kills += 1
            begun = (killed / "config.json").exists()
            how = ["--resume", str(killed)] if begun else ["badd", *SETTINGS, "--out", str(killed)]
            process = ngpu("train", *how, *OPTIONS)
    assert process.wait() == 0
    assert kills > 0
    assert (killed / "model.safetensors").read_bytes() == (whole / "model.safetensors").read_bytes()
    assert steps_recorded(killed) == steps_recorded(whole)
    assert load(killed).model.sets == 1
