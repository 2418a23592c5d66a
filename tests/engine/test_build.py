"""The package installs with and without a compiler."""

import re
import subprocess
import sys
from pathlib import Path

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
