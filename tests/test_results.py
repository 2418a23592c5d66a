"""The page of results is what the committed results make, and the experiments on claims run."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from neuralgpu import engine

HERE = Path(__file__).parent.parent


def run(script: str, *arguments: str) -> str:
    command = [sys.executable, str(HERE / "experiments" / script), *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_page_is_what_the_results_make() -> None:
    run("results.py", "--check")


def test_every_experiment_is_listed() -> None:
    lines = run("results.py", "--list").splitlines()
    names = [path.name for path in (HERE / "experiments" / "claims").glob("*.py")]
    assert len(lines) == 1 + len(names)
    assert all(any(f"claims/{name} " in line for line in lines) for name in names)


@pytest.mark.skipif(not engine.available(), reason=engine.why())
def test_the_speed_of_both_engines_is_measured(tmp_path: Path) -> None:
    out = tmp_path / "speed.json"
    run(
        "claims/speed.py",
        "--maps",
        "8",
        "--cells",
        "5",
        "--batch",
        "2",
        "--rounds",
        "2",
        "--threads",
        "1",
        "--out",
        str(out),
    )
    found = json.loads(out.read_text())
    assert set(found["engines"]) == {"native", "torch"}
    assert all(times["seconds"] > 0 for times in found["engines"].values())
    assert found["size"] == {"maps": 8, "cells": 5, "batch": 2}
