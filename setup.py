"""Compiles the native engine once per instruction set; everything else about the package is in pyproject.toml.

A plain C library for ctypes, so that neither torch nor Python headers are needed. Without a compiler the install
succeeds and the package runs on torch; `neuralgpu.engine.why()` says what to do.
"""

import os
import platform
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext

FLAGS = "-std=c++17 -O3 -ffp-contract=fast -fno-math-errno -fno-trapping-math -fvisibility=hidden -Wno-psabi -pthread"
# ngpu_instruction_set() in native/api.cpp asks the machine for every set that is named here.
X86 = {
    "baseline": "",
    "avx2": "-mavx2 -mfma",
    "avx512": "-mavx512f -mavx512vl -mavx512dq -mfma",
}
ARM = {"neon": ""}
SETS = {"x86_64": X86, "AMD64": X86, "aarch64": ARM, "arm64": ARM}.get(platform.machine(), {"baseline": ""})


class BuildLibraries(build_ext):
    """Each Extension here is one library, libngpu_<instruction set>.so, beside neuralgpu/engine/library.py."""

    def get_ext_filename(self, fullname: str) -> str:
        """The file of a library, without the suffix of an importable extension."""
        return str(Path(*fullname.split("."))) + ".so"

    def build_extensions(self) -> None:
        """Compile all libraries at once, or say in one line why not."""
        compiler = next(filter(shutil.which, filter(None, (os.environ.get("CXX"), "g++", "clang++", "c++"))), None)
        if compiler is None:
            print("neuralgpu: no C++ compiler found, so no native engine; everything runs on torch", file=sys.stderr)
            return
        with ThreadPoolExecutor() as pool:
            list(pool.map(lambda extension: self.build_library(compiler, extension), self.extensions))

    def build_library(self, compiler: str, extension: Extension) -> None:
        """Compile one library; a compiler that does not know its instruction set leaves it out."""
        target = Path(self.get_ext_fullpath(extension.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists() and target.stat().st_mtime > newest([*extension.sources, *extension.depends, __file__]):
            return
        command = [compiler, *FLAGS.split(), *extension.extra_compile_args]
        done = subprocess.run(
            [*command, "-fPIC", "-shared", *extension.sources, "-o", str(target)], capture_output=True, text=True
        )
        if done.returncode:
            lines = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
            print(f"neuralgpu: no {target.name}, the compiler refused it: {lines[0]}", file=sys.stderr)


def newest(files: list[str]) -> float:
    """When the last of these files was changed."""
    return max(Path(file).stat().st_mtime for file in files)


class AnyPython(bdist_wheel):
    """A wheel of this platform for every Python 3, since ctypes loads the libraries."""

    def get_tag(self) -> tuple[str, str, str]:
        """The platform's tag alone says where the wheel works."""
        return "py3", "none", super().get_tag()[2]


setup(
    ext_modules=[
        Extension(
            f"neuralgpu.engine.libngpu_{name}",
            ["native/api.cpp"],
            depends=sorted(map(str, Path("native").glob("*.h"))),
            extra_compile_args=flags.split(),
            optional=True,
        )
        for name, flags in SETS.items()
    ],
    cmdclass={"bdist_wheel": AnyPython, "build_ext": BuildLibraries},
)
