"""A run that is killed with SIGKILL, at random moments, ends in the same bits as one that is not."""

import multiprocessing
import random
import shlex
import time
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import pytest

from neuralgpu.cli import main
from tiny import TINY

STEPS = {"paper": 80, "staged": 240, "lstm-attention": 80, "stack-rnn": 80}
SETTINGS = {
    "paper": [*TINY, "--curriculum-threshold", "0", "--curriculum-block", "4", "--max-steps", str(STEPS["paper"])],
    "staged": shlex.split("""
        --recipe diagonal --maps 24 --levels 2 --fit.steps 110 --fit.batch 4 --fit.lengths 3 5 --fit.muon 0.5
        --harden.when-exact 0.001 --harden.steps 20 --harden.lengths 9 --exam.inputs 1 --exam.every 4
        --retry.retries 1 --retry.widen 1 2 --steps.extra 2
    """),
    "lstm-attention": shlex.split(f"""
        --recipe lstm-attention --cells 8 --batch 4 --examples-per-size 50 --curriculum-threshold 0
        --curriculum-block 4 --dropout 0.1 --decay 0.5 --max-steps {STEPS["lstm-attention"]}
    """),
    "stack-rnn": shlex.split(f"""
        --recipe stack-rnn --hidden 20 --stacks 3 --nmax 8 --sequences 500 --epochs {STEPS["stack-rnn"] // 5}
        --validation-sequences 50
    """),
}
"""The second: two attempts with networks of their own, each with 100 steps of fitting by Muon, 20 steps of hardening,
an average and exams, all of which fail."""
OPTIONS = ["--checkpoint-seconds", "0.01", "--evaluate-count", "0"]


# Processes of their own, which are killed like any other, but of a server that has loaded torch once for all of them.
SERVER = multiprocessing.get_context("forkserver")
SERVER.set_forkserver_preload(["neuralgpu.training.train", "neuralgpu.cli.train", "torch._dynamo"])


def start_ngpu(*arguments: str) -> ForkServerProcess:
    """`ngpu train`, started and not waited for."""
    process = SERVER.Process(target=main, args=(["train", *arguments],))
    process.start()
    return process


def exit_code(process: ForkServerProcess) -> int | None:
    process.join()
    return process.exitcode


def last_step(run: Path) -> int:
    """The step of the newest checkpoint; 0 before the first."""
    names = [path.stem for path in (run / "checkpoints").glob("step-*.safetensors")]
    return max((int(name.removeprefix("step-")) for name in names), default=0)


def kill_after(steps: int, seconds: float, process: ForkServerProcess, run: Path) -> None:
    """Let a run get this many steps past its last checkpoint, wait, and kill it."""
    begun = last_step(run)
    while last_step(run) < begun + steps and process.is_alive():
        time.sleep(0.001)
    time.sleep(seconds)
    process.kill()
    process.join()


def metrics(run: Path) -> list[str]:
    """Its lines, without the seconds."""
    lines = (run / "metrics.jsonl").read_text().splitlines()
    return [", ".join(part for part in line.split(", ") if not part.startswith('"seconds"')) for line in lines]


@pytest.mark.parametrize(
    ("settings", "threads"),
    [("paper", "1"), ("paper", "2"), ("staged", "2"), ("lstm-attention", "1"), ("stack-rnn", "1")],
)
def test_killed_and_resumed_runs_end_in_identical_weights(tmp_path: Path, settings: str, threads: str) -> None:
    chance = random.Random()
    moments = [(chance.randint(1, STEPS[settings] // 4), chance.uniform(0, 0.03)) for _ in range(3)]
    print("killed after these steps and seconds:", moments)  # shown if the test fails
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    start = ["badd", *SETTINGS[settings], "--threads", threads, *OPTIONS, "--out"]
    process, seen = start_ngpu(*start, str(killed)), []
    for steps, seconds in moments:
        kill_after(steps, seconds, process, killed)
        seen.append(last_step(killed))
        process = start_ngpu("--resume", str(killed), *OPTIONS)
    assert exit_code(process) == 0
    assert 0 < seen[0] < last_step(killed) == STEPS[settings]  # it was killed on its way, and went on
    assert exit_code(start_ngpu(*start, str(whole))) == 0
    assert (killed / "model.safetensors").read_bytes() == (whole / "model.safetensors").read_bytes()
    assert metrics(killed) == metrics(whole)
