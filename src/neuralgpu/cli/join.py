"""`ngpu join`: several trained networks side by side in one."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from neuralgpu.cli import command
from neuralgpu.cli.arguments import parse

DESCRIPTION = """Put Diagonal Neural GPUs that learned one task from different seeds side by side in one network.
Its output is the mean of theirs: each errs in places of its own, where the others outvote it.

examples:
  ngpu join runs/bmul-wide-0 runs/bmul-wide-1 runs/bmul-wide-2 --out runs/bmul-joined
  ngpu evaluate runs/bmul-joined --sizes 500
"""


@dataclass(frozen=True)
class JoinArguments:
    """Which networks, and where to put the new one."""

    networks: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="NETWORK")]
    """names that `ngpu models` lists, or run directories"""
    out: Path
    """the directory of the new network"""


def main(arguments: Sequence[str]) -> int:
    """Join, and say where the result was written."""
    args = parse(JoinArguments, "join", DESCRIPTION, arguments)

    from neuralgpu.joining import join

    join(args.networks, args.out)
    print(f"{len(args.networks)} networks side by side: {args.out}")
    print(f"score it: {command()} evaluate {args.out}")
    return 0
