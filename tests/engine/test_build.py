"""The package installs with and without a compiler."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from neuralgpu.engine.library import why_not_built

ROOT = Path(__file__).parents[2]


def test_without_a_compiler_the_build_succeeds_and_says_so(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "setup.py", "-q", "build_ext", "--build-lib", str(tmp_path), "--build-temp", str(tmp_path)],
        cwd=ROOT,
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "no C++ compiler found, so no native engine; everything runs on torch" in done.stderr
    assert not list(tmp_path.rglob("*.so"))


def test_a_compiler_that_refuses_leaves_its_libraries_out(tmp_path: Path) -> None:
    fake = tmp_path / "g++"
    fake.write_text("#!/bin/sh\necho 'unknown option' >&2\nexit 1\n")
    fake.chmod(0o755)
    done = subprocess.run(
        [sys.executable, "setup.py", "-q", "build_ext", "--build-lib", str(tmp_path), "--build-temp", str(tmp_path)],
        cwd=ROOT,
        env={"PATH": str(tmp_path), "CXX": str(fake)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "the compiler refused it: unknown option" in done.stderr


def test_a_library_is_picked_only_where_all_its_instructions_run() -> None:
    compiled = set(re.findall(r'[" ]-m([a-z0-9]+)', (ROOT / "setup.py").read_text()))
    checked = set(re.findall(r'cpu_supports\("(\w+)"\)', (ROOT / "native" / "api.cpp").read_text()))
    assert compiled == {"avx2", "fma", "avx512f", "avx512vl", "avx512dq"}
    assert checked == compiled


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The package as it lies in a fresh checkout: sources of the kernel beside it, and no library."""
    package = tmp_path / "src" / "neuralgpu"
    shutil.copytree(ROOT / "src" / "neuralgpu", package, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    (tmp_path / "native").mkdir()
    (tmp_path / "native" / "api.cpp").touch()
    return tmp_path


def test_an_unbuilt_checkout_is_told_to_be_installed(checkout: Path) -> None:
    """Without a path of site-packages that has neuralgpu's metadata, in a process of its own."""
    program = """
import importlib.metadata, sys
found = importlib.metadata.version
def version(name):
    if name == "neuralgpu":
        raise importlib.metadata.PackageNotFoundError(name)
    return found(name)
importlib.metadata.version = version
from neuralgpu.cli import main
main(["info", "--json"])
"""
    environment = {**os.environ, "PYTHONPATH": str(checkout / "src"), "CXX": sys.executable}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts["neuralgpu"] == "not installed"
    assert facts["because"] == (
        f"neuralgpu is not installed, so its kernel is not built; run: pip install --editable {checkout}"
    )


def test_without_a_compiler_it_is_the_compiler_that_is_missing(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    assert "there is no C++ compiler to build the kernel; install g++" in why_not_built(
        checkout / "src" / "neuralgpu" / "engine"
    )
    installed = tmp_path / "lib" / "site-packages" / "neuralgpu" / "engine"
    assert "for want of a C++ compiler at install" in why_not_built(installed)
