"""The compiled kernel: which library was built, which one this machine runs, and its C symbols."""

import ctypes
import functools
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
FORCE = "NEURALGPU_INSTRUCTION_SET"
"""The environment variable that names an instruction set, in place of the machine's best."""
WORST_TO_BEST = ("baseline", "avx2", "avx512")


class Shape(ctypes.Structure):
    """What one call computes; native/plan.h holds the same fields in the same order."""

    _fields_ = (
        *((name, ctypes.c_int64) for name in ("batch", "n", "w", "m", "layers", "sets", "k_w", "k_h")),
        ("steps", ctypes.c_int64),
        ("threads", ctypes.c_int64),
        ("seed", ctypes.c_uint64),
        ("drop_threshold", ctypes.c_uint32),
        ("drop_scale", ctypes.c_float),
        ("cutoff", ctypes.c_int32),
        ("noise", ctypes.c_float),
        ("levels", ctypes.c_float),
        ("sparse", ctypes.c_int32),
    )


@dataclass(frozen=True)
class Loaded:
    """The outcome of looking for the kernel: a library and its instruction set, or None and the remedy."""

    library: ctypes.CDLL | None
    instruction_set: str | None
    why: str


@functools.cache
def load(folder: Path = HERE) -> Loaded:
    """The library of this machine's best instruction set among those built into `folder`."""
    built = {path.stem.removeprefix("libngpu_"): path for path in sorted(folder.glob("libngpu_*.so"))}
    if not built:
        return Loaded(None, None, why_not_built(folder))
    probe = built.get("baseline") or built.get("neon")
    if probe is None:
        return Loaded(None, None, f"{folder} holds only {', '.join(built)}; reinstall neuralgpu to build all libraries")
    try:
        library = open_library(probe)
        best = library.ngpu_instruction_set().decode()
        runs = ("neon",) if best == "neon" else WORST_TO_BEST[: WORST_TO_BEST.index(best) + 1]
        usable = [name for name in runs if name in built]
        forced = os.environ.get(FORCE)
        if forced and forced not in usable:
            known = ", ".join(usable)
            why = f"{FORCE} is {forced[:40]!r}; it must be one that was built and runs here: {known}"
            return Loaded(None, None, why)
        chosen = forced or usable[-1]
        library = open_library(built[chosen])
    except OSError as error:
        return Loaded(None, None, f"the kernel could not be loaded ({error}); reinstall neuralgpu on this machine")
    if forced:
        return Loaded(library, chosen, f"{chosen}: forced by {FORCE}; the best of this machine is {best}")
    fallback = "" if chosen == best else f", as no {best} library was built"
    return Loaded(library, chosen, f"{chosen}: the best of this machine ({best}){fallback}")


def why_not_built(folder: Path) -> str:
    """Why there is no library in a folder, and what would build one: a checkout may just not be installed."""
    checkout = folder.parents[2]
    if not (checkout / "native" / "api.cpp").exists():
        return "the kernel was not built, for want of a C++ compiler at install; install g++ and reinstall neuralgpu"
    if not any(map(shutil.which, filter(None, (os.environ.get("CXX"), "g++", "clang++", "c++")))):
        return f"there is no C++ compiler to build the kernel; install g++, then run: pip install --editable {checkout}"
    return f"neuralgpu is not installed, so its kernel is not built; run: pip install --editable {checkout}"


def open_library(path: Path) -> ctypes.CDLL:
    """A library with the types of its C symbols."""
    library = ctypes.CDLL(str(path))
    shape, array = ctypes.POINTER(Shape), ctypes.c_void_p
    library.ngpu_instruction_set.argtypes = []
    library.ngpu_instruction_set.restype = ctypes.c_char_p
    library.ngpu_kept_floats.argtypes = [shape]
    library.ngpu_kept_floats.restype = ctypes.c_int64
    for name, arrays in (
        ("cgru_forward", 5),
        ("cgru_backward", 6),
        ("cgru_advance", 4),
        ("diagonal_forward", 6),
        ("diagonal_backward", 7),
    ):
        function = getattr(library, f"ngpu_{name}")
        function.argtypes, function.restype = [shape, *[array] * arrays], ctypes.c_int
    return library
