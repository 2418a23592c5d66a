"""The inputs of `ngpu run` and `ngpu animate`: arguments, lines of standard input, or what is typed at a prompt."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from neuralgpu.errors import UserError
from neuralgpu.tasks import Task
from neuralgpu.tasks.spoken import Notation, Question, understand


@dataclass(frozen=True)
class NotationArguments:
    """How numbers are written, where it is not as on the tape."""

    decimal: bool = False
    """numbers are decimal, most significant digit first; recognised by itself where a digit is not the task's"""
    big_endian: bool = False
    """numbers have the task's digits, most significant first"""

    @property
    def notation(self) -> Notation | None:
        """The notation that was asked for; a UserError says so where both were."""
        if self.decimal and self.big_endian:
            raise UserError("--decimal does not go with --big-endian; decimal numbers are most significant digit first")
        return "decimal" if self.decimal else "big-endian" if self.big_endian else None


def questions(task: Task, inputs: Sequence[str], notation: Notation | None) -> Iterable[Question]:
    """The inputs given as arguments, all of them checked; where there are none, those typed or piped in."""
    if inputs:
        return [understand(task, text, notation) for text in inputs]
    if sys.stdin is None:
        raise UserError("there is no standard input; give inputs as arguments")
    return _typed(task, notation) if sys.stdin.isatty() else _lines(task, notation)


def told(question: Question) -> Question:
    """The question, after standard error has been told what was made of it."""
    if question.note:
        print(f"{question.given}: {question.note}", file=sys.stderr)
    return question


def _lines(task: Task, notation: Notation | None) -> Iterator[Question]:
    empty = True
    for number, line in enumerate(sys.stdin.buffer, start=1):
        empty = False
        try:
            yield understand(task, _decoded(line).strip(), notation)
        except UserError as error:
            raise UserError(f"line {number}: {error}") from None
    if empty:
        raise UserError(f"no input; {task.name} takes text like {task.example()!r}")


def _decoded(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        wrong = f"byte {error.start + 1} is 0x{line[error.start]:02x}, which is not UTF-8"
        raise UserError(f"{wrong}; give text in UTF-8") from None


def _typed(task: Task, notation: Notation | None) -> Iterator[Question]:
    """What a person types, with every mistake told and the prompt shown again, until Ctrl-D."""
    print(f"{task.name} takes text like {task.example()!r}; Ctrl-D ends", file=sys.stderr)
    while True:
        print(f"{task.name}> ", end="", file=sys.stderr, flush=True)
        line = sys.stdin.readline()
        if not line:
            print(file=sys.stderr)
            return
        if line.strip():
            try:
                yield understand(task, line.strip(), notation)
            except UserError as error:
                print(error, file=sys.stderr)
