"""Fixtures shared by all tests."""

import os
from pathlib import Path

import pytest
import torch
from hypothesis import settings

from neuralgpu.cli import main
from tiny import TINY

# No test fails on a wall-clock time, and a merge does not depend on luck.
settings.register_profile("neuralgpu", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("neuralgpu")
torch.set_num_threads(1)  # pytest's workers share the cores


@pytest.fixture(scope="session")
def tiny_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run directory whose network has hardly been trained."""
    path = tmp_path_factory.mktemp("runs") / "badd"
    with pytest.raises(SystemExit) as stop:
        main(["train", "badd", *TINY, "--max-steps", "20", "--evaluate-lengths", "9", "--out", str(path)])
    assert stop.value.code == 0
    return path
