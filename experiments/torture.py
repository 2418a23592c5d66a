"""Kill a short training at random moments, again and again, and compare what is left with an unbroken run.

    make torture          100 kills, as counted in experiments/armour/torture.json
    python experiments/torture.py --kills 1000 --seed 1

A round trains `copy` with a checkpoint at every step, kills it with SIGKILL a few times at random moments, resumes it
each time, and at the end compares weights, metrics and checkpoints with those of a run that nobody killed, bit for bit.
"""

import json
import multiprocessing
import os
import shlex
import tempfile
import time
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from random import Random
from typing import Any

import tyro

from neuralgpu.cli import main as ngpu
from neuralgpu.runs.directory import CHECKPOINT, RunDirectory
from neuralgpu.runs.files import load_tensors, write_atomically

SETTINGS: dict[str, list[str]] = {
    "paper": shlex.split("""
        --recipe paper --layers 1 --width 1 --maps 8 --batch 4 --examples-per-size 20 --max-steps 60
        --curriculum-threshold 0 --curriculum-block 4
    """),
    "staged": shlex.split("""
        --recipe diagonal --maps 24 --levels 2 --attempt-steps 60 --fit.batch 4 --fit.lengths 5 9 --harden.when-exact 1
        --harden.steps 30 --harden.lengths 9 --harden.round-after 5 --harden.average 0.9
    """),
}
OPTIONS = ["--checkpoint-seconds", "0.01", "--evaluate-count", "0"]

# Processes of their own, which are killed like any other, but of a server that has loaded torch once for all of them.
SERVER = multiprocessing.get_context("forkserver")


@dataclass(frozen=True)
class Arguments:
    """How often, and where the counts go."""

    kills: int = 100
    """in all"""
    kills_a_round: int = 4
    """of one run"""
    seed: int = 0
    """decides the moments"""
    out: Path = Path("experiments/armour/torture.json")


def main() -> None:
    args = tyro.cli(Arguments, description=__doc__)
    rng = Random(args.seed)
    SERVER.set_forkserver_preload(["neuralgpu.training.train", "neuralgpu.cli.train", "torch._dynamo"])
    counts: dict[str, Any] = {"command": "make torture", "seed": args.seed, "kills": 0, "rounds": 0, "differences": []}
    steps: list[int] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        whole = {recipe: train(folder / f"whole-{recipe}", recipe) for recipe in SETTINGS}
        while counts["kills"] < args.kills:
            recipe = rng.choice(list(SETTINGS))
            run = folder / f"killed-{counts['rounds']}"
            killed = torture(run, recipe, rng, min(args.kills_a_round, args.kills - counts["kills"]))
            steps += killed
            counts["kills"] += len(killed)
            counts["rounds"] += 1
            counts["differences"] += [f"round {counts['rounds']}: {what}" for what in differences(run, whole[recipe])]
            counts["steps_at_kills"] = {"least": min(steps), "most": max(steps)}
            write_atomically(args.out, (json.dumps(counts, indent=2) + "\n").encode())
            print(f"{counts['kills']} kills, {counts['rounds']} rounds, {counts['differences']}", flush=True)


def train(run: Path, recipe: str) -> Path:
    """A run that nobody kills."""
    process = start("copy", *SETTINGS[recipe], "--threads", "1", *OPTIONS, "--out", str(run))
    process.join()
    if process.exitcode:
        raise RuntimeError(f"{run} ended with code {process.exitcode}")
    return run


def torture(run: Path, recipe: str, rng: Random, kills: int) -> list[int]:
    """Kill a run this often on its way and let it end; the steps of the newest checkpoints at the kills."""
    process = start("copy", *SETTINGS[recipe], "--threads", "1", *OPTIONS, "--out", str(run))
    seen: list[int] = []
    while len(seen) < kills:
        begun, wanted = last_step(run), rng.randint(0, 12)
        while process.is_alive() and last_step(run) < begun + wanted:
            time.sleep(0.001)
        time.sleep(rng.uniform(0, 0.03))
        if not process.is_alive():
            break  # it was faster than we
        process.kill()
        process.join()
        seen.append(last_step(run))
        again = (run / "config.json").exists()  # else it was killed before its first file
        start_words = ["copy", *SETTINGS[recipe], "--threads", "1", "--out", str(run)]
        process = start(*(["--resume", str(run)] if again else start_words), *OPTIONS)
    process.join()
    if process.exitcode:
        raise RuntimeError(f"{run} ended with code {process.exitcode}")
    return seen


def start(*arguments: str) -> ForkServerProcess:
    """`ngpu train`, started and not waited for."""
    process = SERVER.Process(target=quietly, args=(["train", *arguments],))
    process.start()
    return process


def quietly(arguments: list[str]) -> None:
    """`ngpu` without what it prints."""
    with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        ngpu(arguments)


def last_step(run: Path) -> int:
    """The step of the newest checkpoint; 0 before the first."""
    names = (CHECKPOINT.fullmatch(path.name) for path in (run / "checkpoints").glob("step-*"))
    return max((int(found[1]) for found in names if found), default=0)


def differences(run: Path, whole: Path) -> list[str]:
    """What of a run is not as in another one."""
    found = []
    if (run / "model.safetensors").read_bytes() != (whole / "model.safetensors").read_bytes():
        found.append("weights")
    if metrics(run) != metrics(whole):
        found.append("metrics")
    if checkpoint(run) != checkpoint(whole):
        found.append("checkpoint")
    return found


def metrics(run: Path) -> list[dict[str, Any]]:
    """The lines of the metrics, without seconds."""
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    return [{name: value for name, value in line.items() if name != "seconds"} for line in lines]


def checkpoint(run: Path) -> tuple[str, dict[str, list[Any]], dict[str, Any]]:
    """The last checkpoint: its name, its tensors, and its state without seconds and what follows from them."""
    path = max((run / "checkpoints").glob("step-*.safetensors"))
    tensors, state = load_tensors(path, RunDirectory(run).config.run_digest)
    state = {name: value for name, value in state.items() if name not in ("seconds", "record")}
    return path.name, {name: tensor.flatten().tolist() for name, tensor in tensors.items()}, state


if __name__ == "__main__":
    main()
