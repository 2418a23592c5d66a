"""`ngpu models`: the shipped networks."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from neuralgpu import zoo
from neuralgpu.cli.arguments import parse
from neuralgpu.evaluation.report import Report

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
    reports = {name: _read(name) for name in zoo.names()}
    if args.json:
        print(json.dumps([{"name": name, **report.to_dict()} for name, report in reports.items()]))
        return 0
    table = Table("name", "trained by", "minutes", "exact up to")
    for name, report in reports.items():
        training = report.training or {}
        table.add_row(name, training.get("command", ""), str(training.get("minutes", "")), _reach(report))
    Console().print(table)
    print("`ngpu run NAME INPUT` uses one; its README.md with all scores lies in", zoo.HERE)
    return 0


def _read(name: str) -> Report:
    return Report.from_dict(json.loads((zoo.HERE / name / "evaluation.json").read_text()))


def _reach(report: Report) -> str:
    """The largest size up to which every input was exact."""
    scores = report.exact_scores()
    if not scores:
        return "nothing"
    return f"{scores[0].size} {report.unit}: " + " + ".join(f"{s.exact}/{s.count} {s.inputs}" for s in scores)
