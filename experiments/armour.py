"""Attack the toolkit for as long as one likes, and count how it ended.

    make fuzz                                                     as counted in experiments/armour/fuzz.json
    python experiments/armour.py --mutations 100000 --first 5000  other attempts, for hours

Each attempt follows from its number alone; the first one that fails is named and repeated by --first NUMBER.
"""

import json
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import torch
import tyro

from fuzz import texts
from fuzz.command_lines import CommandLines
from fuzz.configurations import Configurations
from fuzz.run_directories import RunDirectories
from neuralgpu.runs.files import write_atomically

TOLD_EVERY = 100
"""Attempts between two times that the counts are written."""


@dataclass(frozen=True)
class Arguments:
    """How many attempts of each kind."""

    mutations: int = 10_000
    """of the files of a run"""
    configurations: int = 5_000
    texts: int = 20_000
    command_lines: int = 5_000
    first: int = 0
    """number of the first attempt"""
    out: Path = Path("experiments/armour/fuzz.json")
    """where the counts are written"""


def main() -> None:
    args = tyro.cli(Arguments, description=__doc__)
    torch.set_num_threads(1)
    counts: dict[str, object] = {"command": "make fuzz", "first": args.first}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "cwd").mkdir()
        kinds: dict[str, tuple[int, Callable[[Random], str]]] = {
            "texts": (args.texts, texts.attempt),
            "command_lines": (args.command_lines, CommandLines(folder / "cwd").attempt),
            "configurations": (args.configurations, Configurations(folder).attempt),
            "mutations": (args.mutations, RunDirectories(folder).attempt),
        }
        for kind, (count, attempt) in kinds.items():
            for found in counted(kind, attempt, args.first, count):
                counts[kind] = found
                write_atomically(args.out, (json.dumps(counts, indent=2) + "\n").encode())
                print(kind, found, flush=True)


def counted(kind: str, attempt: Callable[[Random], str], first: int, count: int) -> Iterator[dict[str, object]]:
    """How many attempts ended in each way so far; failures by number, with what was said."""
    endings: Counter[str] = Counter()
    failures: list[str] = []
    begun = time.monotonic()
    for number in range(first, first + count):
        try:
            endings[attempt(Random(number))] += 1
        except Exception as error:
            failures.append(f"{kind} {number}: {type(error).__name__}: {str(error)[:500]}")
            print(failures[-1], flush=True)
        done = number - first + 1
        if done % TOLD_EVERY == 0 or done == count:
            minutes = round((time.monotonic() - begun) / 60, 1)
            shown = dict(sorted(endings.items()))
            yield {"attempts": done, "endings": shown, "failures": failures, "minutes": minutes}


if __name__ == "__main__":
    main()
