"""`ngpu tasks`: what can be learned."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from neuralgpu.cli.arguments import parse
from neuralgpu.tasks import TASKS, Task

DESCRIPTION = """List the tasks. Besides these, `add` or `mul` with a base from 2 to 10, such as add3 or mul7, is
arithmetic in that base.

examples:
  ngpu tasks
  ngpu tasks --json
"""


@dataclass(frozen=True)
class TasksArguments:
    """How to print."""

    json: bool = False
    """print JSON"""


def main(arguments: Sequence[str]) -> int:
    """Print each task with an example."""
    args = parse(TasksArguments, "tasks", DESCRIPTION, arguments)
    rows = [_describe(task) for task in TASKS.values()]
    if args.json:
        print(json.dumps(rows))
        return 0
    table = Table(*(heading.replace("_", " ") for heading in rows[0]))
    for row in rows:
        table.add_row(*row.values())
    Console().print(table)
    print("Numbers are written least significant digit first. `add` or `mul` with a base, such as add3, works too.")
    return 0


def _describe(task: Task) -> dict[str, str]:
    example = task.example()
    return {
        "task": task.name,
        "alphabet": task.alphabet,
        "size_in": task.unit,
        "example": example,
        "answer": task.answer(example) or "",
        "meaning": task.explain(example, task.answer(example)) or (type(task).__doc__ or "").partition("\n")[0],
    }
