"""`ngpu info`: versions, engine and machine."""

import json
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from rich.console import Console
from rich.table import Table

from neuralgpu.cli.arguments import parse
from neuralgpu.engine import available, instruction_set, why

DESCRIPTION = """Show the versions in use, the engine that computes and the machine: what a report of a problem needs.

examples:
  ngpu info
  ngpu info --json
"""


@dataclass(frozen=True)
class InfoArguments:
    """How to print."""

    json: bool = False
    """print JSON"""


def main(arguments: Sequence[str]) -> int:
    """Print what is installed and what is active."""
    args = parse(InfoArguments, "info", DESCRIPTION, arguments)

    import torch

    facts = {
        "neuralgpu": _installed(),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": version("numpy"),
        "platform": platform.platform(),
        "threads": str(torch.get_num_threads()),
        "instructions": torch.backends.cpu.get_cpu_capability(),
        "engine": f"native, {instruction_set()}" if available() else "torch",
        "because": why(),
    }
    if args.json:
        print(json.dumps(facts))
        return 0
    table = Table(show_header=False)
    for name, value in facts.items():
        table.add_row(name, value)
    Console().print(table)
    return 0


def _installed() -> str:
    """The version, or that there is none: a checkout can be used without being installed."""
    try:
        return version("neuralgpu")
    except PackageNotFoundError:
        return "not installed"
