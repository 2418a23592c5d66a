"""What is to be learned: the paper's tasks, arithmetic in other bases and a library, by name."""

import re

from neuralgpu.errors import UserError, nearest
from neuralgpu.tasks.arithmetic import Addition, Multiplication
from neuralgpu.tasks.digits import Mixture
from neuralgpu.tasks.foreign import ForeignTask
from neuralgpu.tasks.library import LIBRARY
from neuralgpu.tasks.sequences import Copy, Duplicate, Reverse, Sort
from neuralgpu.tasks.source import Source
from neuralgpu.tasks.symbols import Alphabet
from neuralgpu.tasks.tape import PAD, Batch, Tape, Tapes, pad
from neuralgpu.tasks.task import Task, random_text

__all__ = [
    "FAMILIES",
    "PAD",
    "TASKS",
    "Alphabet",
    "Batch",
    "ForeignTask",
    "Mixture",
    "Source",
    "Tape",
    "Tapes",
    "Task",
    "get_task",
    "open_task",
    "pad",
    "random_text",
]

FAMILIES: dict[str, tuple[Task, ...]] = {
    "the paper's": (Addition(base=2), Multiplication(base=2), Copy(), Reverse(), Duplicate(), Sort()),
    "other bases": tuple(kind(base) for base in (4, 10) for kind in (Addition, Multiplication)),
    **LIBRARY,
}
"""The named tasks in groups, the paper's six first."""

TASKS: dict[str, Task] = {task.name: task for family in FAMILIES.values() for task in family}
"""The named tasks; `add` or `mul` followed by a base from 2 to 10 names others."""


def get_task(name: str) -> Task:
    """The task of this name; a UserError names the nearest one where there is none.

    >>> get_task("badd").answer("1010+0111")
    '11001'
    >>> get_task("mul7").alphabet
    '0123456*'
    >>> get_task("badd") is get_task("add2")
    True
    """
    based = re.fullmatch(r"(add|mul)(\d{1,3})", name)
    if based:
        operation, base = based.groups()
        task = (Addition if operation == "add" else Multiplication)(int(base))
        return TASKS.get(task.name, task)
    if name not in TASKS:
        raise UserError(f"unknown task {name!r}; {nearest(name, TASKS)}")
    return TASKS[name]


def open_task(name: str, alphabet: Alphabet) -> Task:
    """The task that a network was trained on: the one of this name, or a ForeignTask where the name is not known here.

    >>> open_task("badd", "01+").answer("1+1")
    '01'
    >>> open_task("shuffle", "abc").answer("cab") is None
    True
    """
    try:
        task = get_task(name)
    except UserError:
        return ForeignTask(name, alphabet)
    if task.alphabet != alphabet:
        raise UserError(
            f"the alphabet of {name} is {alphabet!r} there and {task.alphabet!r} here; two tasks have the same name"
        )
    return task
