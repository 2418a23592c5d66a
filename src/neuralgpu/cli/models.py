"""`ngpu models`: the shipped networks."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table

from neuralgpu import zoo
from neuralgpu.cli.arguments import parse

DESCRIPTION = """List the networks that come with the package, with the largest size at which each was exact on every
random and every stress input that it was given. Their names go wherever a run directory goes.

examples:
  ngpu models
  ngpu models --json
  ngpu run bmul 0110*0101
"""


@dataclass(frozen=True)
class ModelsArguments:
    """How to print."""

    json: bool = False
    """print JSON, with every score"""


def main(arguments: Sequence[str]) -> int:
    """Print each shipped network with what is known about it."""
    args = parse(ModelsArguments, "models", DESCRIPTION, arguments)
    reports = {name: json.loads((zoo.HERE / name / "evaluation.json").read_text()) for name in zoo.names()}
    if args.json:
        print(json.dumps([{"name": name, **report} for name, report in reports.items()]))
        return 0
    table = Table("name", "trained by", "minutes", "exact up to")
    for name, report in reports.items():
        table.add_row(name, report["command"], f"{report['minutes']:.1f}", _reach(report))
    Console().print(table)
    print("`ngpu run NAME INPUT` uses one; its README.md with all scores lies in", zoo.HERE)
    return 0


def _reach(report: dict[str, Any]) -> str:
    """The largest size up to which every input was exact."""
    reach = "nothing"
    for size in sorted({score["size"] for score in report["scores"]}):
        scores = [score for score in report["scores"] if score["size"] == size]
        if any(score["exact"] < score["count"] for score in scores):
            break
        inputs = " + ".join(f"{score['exact']}/{score['count']} {score['inputs']}" for score in scores)
        reach = f"{size} {report['unit']}: {inputs}"
    return reach
