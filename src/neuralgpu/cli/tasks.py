"""`ngpu tasks`: what can be learned."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from rich.console import Console
from rich.table import Table

from neuralgpu.cli import command
from neuralgpu.cli.arguments import parse
from neuralgpu.errors import UserError
from neuralgpu.tasks import FAMILIES, TASKS, Task
from neuralgpu.tasks.symbols import join
from neuralgpu.tasks.template import TEMPLATE

DESCRIPTION = """List the tasks. Besides these, `add` or `mul` with a base from 2 to 10, such as add3 or mul7, is
arithmetic in that base.

examples:
  ngpu tasks
  ngpu tasks --json
  ngpu tasks --template my_task.py     a file with a task of your own, to start from
"""


@dataclass(frozen=True)
class TasksArguments:
    """How to print."""

    json: bool = False
    """print JSON"""
    template: Path | None = None
    """write a file with a task of your own, which `ngpu train` takes as it is"""


def main(arguments: Sequence[str]) -> int:
    """Print each task with an example."""
    args = parse(TasksArguments, "tasks", DESCRIPTION, arguments)
    if args.template:
        return _write_template(args.template)
    rows = [_describe(task) for task in TASKS.values()]
    if args.json:
        print(json.dumps(rows))
        return 0
    shown = ("task", "alphabet", "size_in", "example", "answer", "meaning")
    table = Table(*(heading.replace("_", " ") for heading in shown))
    for family, members in groupby(rows, key=itemgetter("family")):
        table.add_row(family, style="bold")
        for row in members:
            table.add_row(*(row[heading] for heading in shown))
        table.add_section()
    Console().print(table)
    print("Numbers are written least significant digit first. `add` or `mul` with a base, such as add3, works too.")
    return 0


def _write_template(path: Path) -> int:
    """Write a task to start from; a file that is there stays as it is."""
    if path.suffix != ".py":
        raise UserError(f"--template is {str(path)!r}; name a file of Python, such as my_task.py")
    try:
        with path.open("x") as file:
            file.write(TEMPLATE)
    except FileExistsError:
        raise UserError(f"{path} is there already; choose another name") from None
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}") from None
    print(f"{path}: change it, then train it with: {command()} train {path}")
    return 0


def _describe(task: Task) -> dict[str, str]:
    example = task.example()
    return {
        "task": task.name,
        "family": next((family for family, tasks in FAMILIES.items() if task in tasks), "your own"),
        "alphabet": join(task.alphabet, task.alphabet),
        "size_in": task.unit,
        "example": example,
        "answer": task.answer(example) or "",
        "meaning": task.explain(example, task.answer(example)) or (type(task).__doc__ or "").partition("\n")[0],
    }
