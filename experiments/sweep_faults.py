"""Kill workers, drivers and a node of real sweeps on Ray at random moments, let them go on, and compare the weights.

    python experiments/sweep_faults.py kills --rounds 20 --out experiments/sweep/kills.json
    python experiments/sweep_faults.py nodes --out experiments/sweep/nodes.json

Both first train the nine points of a tiny grid one after the other, without Ray. `kills` then runs the sweep on Ray and
kills, with SIGKILL, a worker or the driver at a random moment of each round; where a sweep is finished before the last
round, another begins. `nodes` starts two nodes of Ray as processes of this machine, each with a core, and kills one of
them in the middle. In the end every point must have one result, none may have been begun again after its result, and
all weights must be those of the sweep without Ray.
"""

import json
import os
import random
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

from neuralgpu.errors import UserError
from neuralgpu.sweeps.directory import SweepDirectory

GRID = ["--axis", "learning_rate=1e-3,3e-3,1e-2", "--axis", "dropout=0.06,0.09,0.135"]
SMALL = {"layers": 1, "width": 1, "maps": 8, "batch": 4, "examples_per_size": 50, "max_steps": 800}
SCORES = ["--evaluate-sizes", "10", "20", "--evaluate-count", "20", "--no-prune", "--checkpoint-seconds", "0.5"]
POINTS = 9
TOKEN = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
"""Of the clusters that are started here, and of no other."""
LONGEST = 300.0
"""Seconds after which something hangs."""


@dataclass(frozen=True)
class Arguments:
    """What to break."""

    what: Annotated[Literal["kills", "nodes"], tyro.conf.Positional]
    rounds: int = 20
    """kills"""
    seed: int = 0
    """decides what is killed and when"""
    out: Path | None = None
    """JSON file of the result"""
    port: int = 26379
    """of the head node"""


def main() -> None:
    args = tyro.cli(Arguments, description=__doc__)
    folder = Path(tempfile.mkdtemp(prefix="sweep"))
    try:
        finish(sweep(folder / "serial", "--engine", "serial"))
        result = kills(args, folder) if args.what == "kills" else nodes(args, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    words = "python experiments/sweep_faults.py " + " ".join(sys.argv[1:])
    text = json.dumps({"command": words, **result}, indent=2) + "\n"
    print(text)
    if args.out:
        args.out.parent.mkdir(parents=True, exist_ok=True)
        args.out.write_text(text)


def sweep(out: Path, *more: str) -> "subprocess.Popen[bytes]":
    """A sweep of the tiny grid, as a process."""
    words = [sys.executable, "-m", "neuralgpu", "sweep", "copy", *GRID, "--out", str(out), *SCORES, *more]
    for name, value in SMALL.items():
        words += ["--set", f"{name}={value}"]
    return subprocess.Popen(words, env=os.environ | TOKEN, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def finish(driver: "subprocess.Popen[bytes]") -> None:
    _, errors = driver.communicate(timeout=LONGEST)
    if driver.returncode:
        raise UserError(f"the sweep ended with {driver.returncode}: {errors.decode()[-500:]}")


def kills(args: Arguments, folder: Path) -> dict[str, Any]:
    """Rounds of kills over as many sweeps as they take."""
    rng = random.Random(args.seed)
    rounds: list[dict[str, Any]] = []
    checks: list[dict[str, Any]] = []
    while len(rounds) < args.rounds:
        out = folder / f"killed-{len(checks)}"
        driver = sweep(out)
        while len(rounds) < args.rounds and driver.poll() is None:
            wait_for_worker(out, driver)
            time.sleep(rng.uniform(0, 3))
            workers = running(out, driver)
            if not workers:  # between two points, or finished
                continue
            victim, done = rng.choice(["worker", "driver"]), len(results(out))
            if victim == "worker":
                kill(rng.choice(list(workers.values())))
            else:
                driver.kill()
                driver.communicate()
                driver = sweep(out)
            rounds.append({"sweep": len(checks), "killed": victim, "running": sorted(workers), "done": done})
            print(rounds[-1], flush=True)
        finish(driver)
        checks.append(check(out, folder / "serial"))
    return {"rounds": len(rounds), "sweeps": checks, "kills": rounds}


def nodes(args: Arguments, folder: Path) -> dict[str, Any]:
    """Two nodes share a sweep; one is killed."""
    out, address = folder / "nodes", f"127.0.0.1:{args.port}"
    with node(folder, "--head", "--port", str(args.port)) as first, node(folder, "--address", address) as second:
        driver = sweep(out, "--address", address)
        for one in (first, second):
            wait_for_worker(out, driver, one)
        time.sleep(1.0)
        trained = {name: sorted(running(out, one)) for name, one in (("first", first), ("second", second))}
        done = len(results(out))
        for process in (second.pid, *descendants(second.pid)):
            kill(process)
        finish(driver)
    return {"trained_by_node": trained, "killed": "second", "done": done, "sweep": check(out, folder / "serial")}


@contextmanager
def node(folder: Path, *arguments: str) -> Iterator["subprocess.Popen[bytes]"]:
    """A node of Ray with one core, as processes of this machine."""
    temporary = ["--temp-dir", str(folder / "ray")] if "--head" in arguments else []
    words = [str(Path(sys.executable).parent / "ray"), "start", *arguments, "--num-cpus", "1", "--block", *temporary]
    words += ["--include-dashboard", "false"] if "--head" in arguments else []
    environment = os.environ | TOKEN | {"RAY_USAGE_STATS_ENABLED": "0"}
    process = subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(12)
    try:
        yield process
    finally:
        for one in (*descendants(process.pid), process.pid):
            kill(one)
        process.wait()


def kill(process: int) -> None:
    """Kill a process that may be gone already."""
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        return


def descendants(process: int) -> list[int]:
    """The children of a process, theirs, and so on."""
    parents: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents.setdefault(int(fields[1]), []).append(int(path.parent.name))
    found, new = [], [process]
    while new:
        new = [child for parent in new for child in parents.get(parent, [])]
        found += new
    return found


def running(out: Path, of: "subprocess.Popen[bytes]") -> dict[int, int]:
    """The processes, of this driver or node, that train points now, by point."""
    if not (out / "sweep.json").exists():
        return {}
    directory, own = SweepDirectory(out), set(descendants(of.pid))
    locked = (point for point in map(directory.point, range(POINTS)) if point.is_locked() and not point.result())
    begun = {point.number: [line["began"] for line in point.attempts() if "began" in line] for point in locked}
    return {number: workers[-1] for number, workers in begun.items() if workers and workers[-1] in own}


def results(out: Path) -> list[Path]:
    return sorted(out.glob("points/*/result.json"))


def wait_for_worker(out: Path, driver: "subprocess.Popen[bytes]", of: "subprocess.Popen[bytes] | None" = None) -> None:
    """Until the driver, or a node, trains a point, or the driver has ended."""
    last = time.monotonic() + LONGEST
    while not running(out, of or driver) and driver.poll() is None:
        if time.monotonic() > last:
            raise UserError("no point is being trained; see the logs of Ray")
        time.sleep(0.1)


def check(out: Path, serial: Path) -> dict[str, Any]:
    """Whether every point was finished once, with the weights of the serial sweep."""
    directory = SweepDirectory(out)
    same = repeated = begun = 0
    for number in range(POINTS):
        point = directory.point(number)
        ended = (point.path / "result.json").stat().st_mtime
        starts = [line["time"] for line in point.attempts() if "began" in line]
        begun += len(starts)
        repeated += sum(start > ended for start in starts)
        there = serial / "points" / point.path.name / "model.safetensors"
        same += there.read_bytes() == (point.path / "model.safetensors").read_bytes()
    found = {"results": len(results(out)), "same_weights": same, "begun": begun, "begun_after_result": repeated}
    if (found["results"], same, repeated) != (POINTS, POINTS, 0):
        raise UserError(f"the sweep did not hold: {found}")
    return found


if __name__ == "__main__":
    main()
