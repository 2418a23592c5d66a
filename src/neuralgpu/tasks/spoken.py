"""Inputs as people write them: decimal numbers, most significant digit first, spaces, operands of different lengths."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from neuralgpu.errors import UserError
from neuralgpu.tasks.arithmetic import Arithmetic, from_int, to_int
from neuralgpu.tasks.task import Task

Notation = Literal["tape", "decimal", "big-endian"]
"""How numbers are written: least significant digit first as on the tape, in base ten as everyone does, or in the task's
base with the most significant digit first."""

DECIMAL = "0123456789"


@dataclass(frozen=True)
class Question:
    """An input as it was given, and as the network reads it."""

    given: str
    text: str
    """what the network reads"""
    note: str | None = None
    """what was made of the input, where it is not read as it stands"""
    _translate: Callable[[str], str] | None = None

    def in_its_notation(self, output: str) -> str:
        """A network's output in the notation of the question; an output that is no number stays as it is."""
        return self._translate(output) if self._translate else output


def understand(task: Task, given: str, notation: Notation | None = None) -> Question:
    """What a network of this task should read for an input.

    Without a notation, numbers that have digits the task's alphabet lacks are decimal, and others stand as on the tape.
    Spaces between symbols are left out, and the shorter of two numbers is filled with zeros. A UserError says what is
    wrong with an input that nothing can be made of.

    >>> from neuralgpu.tasks import get_task
    >>> understand(get_task("bmul"), "6 * 10").text
    '0110*0101'
    >>> understand(get_task("bmul"), "6 * 10").in_its_notation("001111")
    '60'
    >>> understand(get_task("badd"), "1+0111", "big-endian").text
    '1000+1110'
    """
    plain = "".join(given.split()) if isinstance(task.alphabet, str) else given.strip()
    if not isinstance(task, Arithmetic):
        if notation not in (None, "tape"):
            raise UserError(f"{notation} is a way to write numbers; {task.name} takes symbols: {_listed(task)}")
        task.size(plain)
        return Question(given, plain, None if plain == given.strip() else f"read as {_shown(plain)}")
    if not plain:
        task.size(plain)  # says that it is empty
    return _numbers(task, given, plain, notation or ("decimal" if _is_decimal(task, plain) else "tape"))


def _numbers(task: Arithmetic, given: str, plain: str, notation: Notation) -> Question:
    """Two numbers in a notation, as the tape has them."""
    operands: Sequence[str] = _operands(task, plain, DECIMAL if notation == "decimal" else task.digits)
    if notation == "decimal":
        operands = [from_int(to_int(operand[::-1], 10), task.base) for operand in operands]
    elif notation == "big-endian":
        operands = [operand[::-1] for operand in operands]
    longest = max(map(len, operands))
    text = task.sign.join(operand.ljust(longest, "0") for operand in operands)
    translate = {"tape": None, "decimal": _decimal(task), "big-endian": _reversed(task)}[notation]
    if text == given.strip():
        return Question(given, text, None, translate)
    order = "" if notation == "tape" else ", least significant digit first"
    return Question(given, text, f"read as {_shown(text)}, two numbers of {longest} {task.unit}{order}", translate)


def _operands(task: Arithmetic, text: str, digits: str) -> tuple[str, str]:
    """The two numbers of an input; a UserError says what is wrong with it."""
    for position, symbol in enumerate(text):
        if symbol not in digits + task.sign:
            raise UserError(
                f"symbol {symbol!r} at position {position} is not in the alphabet of {task.name}: {_listed(task)}; "
                f"decimal numbers like '6{task.sign}10' are read too"
            )
    return task.operands(text)


def _is_decimal(task: Arithmetic, text: str) -> bool:
    """Whether these are numbers with a digit that the task does not have."""
    return any(symbol in DECIMAL and symbol not in task.digits for symbol in text)


def _decimal(task: Arithmetic) -> Callable[[str], str]:
    def translate(output: str) -> str:
        if not output or not set(output) <= set(task.digits):
            return output
        return from_int(to_int(output, task.base), 10)[::-1]

    return translate


def _reversed(task: Arithmetic) -> Callable[[str], str]:
    def translate(output: str) -> str:
        return output[::-1] if set(output) <= set(task.digits) else output

    return translate


def _listed(task: Task) -> str:
    return " ".join(task.alphabet)


def _shown(text: str) -> str:
    """The text, or the beginning of one that is too long for a line."""
    return text if len(text) <= 65 else f"{text[:30]}...{text[-30:]}"
