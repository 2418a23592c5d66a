"""Sweeps on Ray itself, each in a process of its own as a person starts it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from neuralgpu.sweeps.directory import PointDirectory
from neuralgpu.sweeps.status import read_status
from tiny_sweep import AXES, SETTINGS, tiny_sweep, weights

STEPS = 200
LONGEST = 120.0
"""Seconds after which something hangs."""


def command(out: Path, *more: str) -> list[str]:
    """`ngpu sweep` of the same points as `tiny_sweep`, on Ray."""
    words = [sys.executable, "-m", "neuralgpu", "sweep", "copy", "--out", str(out), "--checkpoint-seconds", "0.2"]
    for name, values in AXES.items():
        words += ["--axis", f"{name}={','.join(map(str, values))}"]
    for name, value in {**SETTINGS, "max_steps": STEPS}.items():
        words += ["--set", f"{name}={value}"]
    return [*words, "--evaluate-sizes", "5", "--evaluate-count", "10", *more]


@pytest.fixture(scope="module")
def serial(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """The weights of the points, trained one after the other without Ray."""
    out = tmp_path_factory.mktemp("sweeps") / "serial"
    tiny_sweep(out, max_steps=STEPS)
    return weights(out)


def running_worker(out: Path) -> int:
    """The process that trains a point, once there is one."""
    last = time.monotonic() + LONGEST
    while time.monotonic() < last:
        for point in read_status(out).points if (out / "sweep.json").exists() else ():
            attempts = PointDirectory(out / f"points/{point.number}").attempts()
            if point.state == "running" and attempts:
                return int(attempts[-1]["began"])
        time.sleep(0.05)
    raise AssertionError("no point runs")


def test_sweep_goes_on_after_the_kill_of_a_worker_and_of_the_driver_to_the_weights_of_a_serial_one(
    tmp_path: Path, serial: list[bytes]
) -> None:
    out = tmp_path / "killed"
    with subprocess.Popen(command(out), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as driver:
        worker = running_worker(out)
        assert worker != driver.pid
        os.kill(worker, signal.SIGKILL)
        running_worker(out)
        driver.kill()
    done = subprocess.run(command(out), capture_output=True, text=True, timeout=LONGEST, check=False)
    assert done.returncode == 0, done.stderr
    assert read_status(out).counts["done"] == 4
    assert weights(out) == serial


def test_unreachable_address_is_one_sentence_and_begins_nothing(tmp_path: Path) -> None:
    begun = time.monotonic()
    words = command(tmp_path / "s", "--address", "127.0.0.1:1")
    done = subprocess.run(words, capture_output=True, text=True, timeout=LONGEST, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("ngpu: error: no Ray cluster answers at 127.0.0.1:1 (")
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "s").exists()
    assert time.monotonic() - begun < 60
