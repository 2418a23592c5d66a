"""The wheel, installed outside the repository."""

import json
import os
import re
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

import neuralgpu
from neuralgpu.engine import available

ROOT = Path(__file__).parent.parent
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    command = [sys.executable, str(ROOT / "tools" / "build_wheel.py"), str(tmp_path_factory.mktemp("dist"))]
    return Path(subprocess.run(command, capture_output=True, check=True, text=True).stdout.strip())


@pytest.fixture(scope="module")
def ngpu(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command in an environment that has the wheel, and of the one of these tests only what the wheel requires."""
    environment = tmp_path_factory.mktemp("fresh") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    python = environment / "bin" / "python"
    # Packages of a folder that a .pth file names come after the environment's own, and its own .pth files do not count.
    site = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True,
        check=True,
        text=True,
    ).stdout.strip()
    (Path(site) / "required.pth").write_text(sysconfig.get_path("purelib") + "\n")
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--no-deps", "--no-index", "--ignore-installed", str(wheel)], check=True)
    return environment / "bin" / "ngpu"


def said(*command: str | Path, folder: Path) -> str:
    done = subprocess.run(command, capture_output=True, check=True, text=True, cwd=folder, env=ENVIRONMENT)
    return done.stdout


def test_one_wheel_is_for_every_python_of_its_platform(wheel: Path) -> None:
    assert re.fullmatch(r"neuralgpu-[0-9.]+-py3-none-(\w+)\.whl", wheel.name)
    assert "none-any" not in wheel.name


def test_the_wheel_has_the_libraries_the_page_the_networks_and_the_licence(wheel: Path) -> None:
    inside = set(zipfile.ZipFile(wheel).namelist())
    package = Path(neuralgpu.__file__).parent
    shipped = [*package.glob("zoo/*/*"), *package.glob("playground/page/**/*"), *package.glob("**/*.py")]
    expected = {f"neuralgpu/{path.relative_to(package).as_posix()}" for path in shipped if path.is_file()}
    assert expected <= inside
    assert any(name.endswith("licenses/LICENSE") for name in inside)
    if available():
        assert any(re.fullmatch(r"neuralgpu/engine/libngpu_\w+\.so", name) for name in inside)


def test_the_installed_command_multiplies(ngpu: Path, tmp_path: Path) -> None:
    assert said(ngpu, "run", "bmul", "0110*0101", folder=tmp_path) == "001111   (6 * 10 = 60, correct)\n"


def test_what_runs_is_the_installed_package_with_its_own_engine(ngpu: Path, tmp_path: Path) -> None:
    home = said(ngpu.parent / "python", "-c", "import neuralgpu; print(neuralgpu.__file__)", folder=tmp_path)
    assert Path(home.strip()).is_relative_to(ngpu.parent.parent)
    engine = json.loads(said(ngpu, "info", "--json", folder=tmp_path))["engine"]
    assert engine.startswith("native" if available() else "torch")


def test_the_installed_package_has_the_page(ngpu: Path, tmp_path: Path) -> None:
    said(ngpu, "play", "--export", "public", folder=tmp_path)
    assert (tmp_path / "public" / "index.html").exists()
    assert (tmp_path / "public" / "zoo" / "bmul" / "model.safetensors").exists()
