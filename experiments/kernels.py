"""Fuzz the kernel through Python with a library built under the address and undefined-behaviour sanitizers.

    make fuzz-kernels

A finding of a sanitizer ends the process with its report, so that the counts in experiments/armour/kernels.json are
written by a run that had none.
"""

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from random import Random

import torch
import tyro

from fuzz import kernels
from neuralgpu.engine import library, native
from neuralgpu.runs.files import write_atomically


@dataclass(frozen=True)
class Arguments:
    """Where the sanitized libraries are, and how many attempts there are."""

    folder: Path = Path("build/sanitized")
    count: int = 3_000
    first: int = 0
    """number of the first attempt"""
    out: Path = Path("experiments/armour/kernels.json")


def main() -> None:
    args = tyro.cli(Arguments, description=__doc__)
    torch.set_num_threads(1)
    loaded = library.load(args.folder)
    if loaded.library is None:
        raise RuntimeError(loaded.why)
    vars(native)["load"] = lambda: loaded
    endings = Counter(kernels.attempt(Random(number)) for number in range(args.first, args.first + args.count))
    counts = {"command": "make fuzz-kernels", "first": args.first, "attempts": args.count, "endings": dict(endings)}
    write_atomically(args.out, (json.dumps(counts, indent=2) + "\n").encode())
    print(counts)


if __name__ == "__main__":
    main()
