"""What a person may name to be learned: a task of `ngpu tasks`, a file of examples, or a task of one's own."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from neuralgpu.errors import UserError
from neuralgpu.tasks import TASKS, Task, get_task
from neuralgpu.tasks.own import OwnTask, open_own, own_task
from neuralgpu.tasks.pairs import PairsTask, open_pairs
from neuralgpu.tasks.source import Source, read_source

ENDINGS = (".py", ".tsv", ".csv", ".jsonl", ".ndjson", ".json", ".txt")
TAKEN = frozenset({*TASKS, *(f"{operation}{base}" for operation in ("add", "mul") for base in range(2, 11))})


def learnable(what: Any, most_cells: int, words: bool = False) -> Task:
    """The task that is meant by a name, a path, or an object such as `own_task` takes.

    No pair of a file that takes more than `most_cells` is trained on. With `words`, symbols in a file are words.
    """
    if not isinstance(what, str | Path):
        return own_task(what)
    path = Path(what)
    is_file = path.suffix.lower() in ENDINGS or len(path.parts) > 1 or isinstance(what, Path)
    if path.suffix.lower() == ".py":
        if words:
            raise UserError(f"--words is for files of examples; give {path} an alphabet that is a list of words")
        return open_own(path, TAKEN)
    if is_file or (str(what) not in TAKEN and path.is_file()):
        return open_pairs(path, most_cells, words, TAKEN)
    if words:
        raise UserError(f"--words is for files of examples, not for the task {what}")
    return get_task(str(what))


def reopened(source: Source, most_cells: int) -> Task:
    """The task that a run learns from a file, which must be the same as when it began."""
    path = Path(source.file)
    if not path.is_file():
        raise UserError(
            f"the run learns from {path.name}, which is not at {path} any more; put it back, or give it to "
            "neuralgpu.resume as task=..."
        )
    check_same(source, path)
    return learnable(path, most_cells, source.words)


def check_same(source: Source, path: Path) -> None:
    """Refuse a file that is not the one that a run began with."""
    if hashlib.sha256(read_source(path)).hexdigest() != source.sha256:
        raise UserError(f"{path} has changed since the run began; a run goes on with the same file, so put that back")


def summary(task: Task) -> Sequence[str]:
    """What was read from a file, in lines; nothing about tasks that come with the package."""
    return task.summary() if isinstance(task, PairsTask | OwnTask) else ()
