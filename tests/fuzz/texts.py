"""Texts given to every task: an answer that agrees with an oracle of another make, or one line about what is wrong."""

from collections.abc import Callable
from itertools import groupby
from random import Random

import numpy as np

from fuzz import check_line
from neuralgpu.errors import UserError
from neuralgpu.tasks import TASKS, Task, get_task
from neuralgpu.tasks.arithmetic import Arithmetic

NAMES = [*TASKS, *(f"{operation}{base}" for operation in ("add", "mul") for base in (3, 5, 6, 7, 8, 9))]
ODD = ["", " ", "\n", "\x00", "é", "०१", "\u2028", "\udcff", "0" * 2000, "-1", "+", "*", "1e9", "NaN"]


def attempt(rng: Random) -> str:
    """Ask a task for the answer to a text: "answered" or "refused"."""
    task = get_task(rng.choice(NAMES))
    text = _text(rng, task)
    known = task.name in ORACLES or isinstance(task, Arithmetic)
    expected = _oracle(task, text) if known else None
    try:
        answer = task.answer(text)
        tape = task.encode(text)[0]
        solved = task.encode_answer(text)[0]
    except UserError as error:
        check_refusal(expected, check_line(error))
        return "refused"
    assert answer == expected or not known, f"{task.name} answers {answer!r} to {text!r}; {expected!r} is right"
    assert task.decode(tape) == text
    assert task.read(solved) == answer
    assert len(tape) == len(solved) == task.length(task.size(text))
    return "answered"


def check_refusal(expected: str | None, said: str) -> None:
    """Nothing is refused that has an answer."""
    assert expected is None, said


def _text(rng: Random, task: Task) -> str:
    size = rng.choice([1, 1, 2, 3, 5, 8, 20, 41, 100])
    text = task.random(np.random.default_rng(rng.randrange(2**32)), task.nearest_size(size))
    kind = rng.randrange(4)
    if kind == 0:
        return "".join(rng.choice(task.alphabet) for _ in range(rng.randint(0, 2 * size)))
    if kind == 1:
        place = rng.randrange(len(text) + 1)
        return text[:place] + rng.choice([*ODD, *map(chr, range(32, 127))]) + text[place + rng.randrange(2) :]
    return text


ORACLES: dict[str, Callable[[str], str]] = {
    "copy": lambda text: text,
    "reverse": lambda text: text[::-1],
    "duplicate": lambda text: text * 2,
    "sort": lambda text: "0" * text.count("0") + "1" * text.count("1"),
    "sort4": lambda text: "".join(letter * text.count(letter) for letter in "abcd"),
    "parity": lambda text: str(text.count("1") % 2),
    "majority": lambda text: str(int(text.count("1") > len(text) / 2)),
    "ones": lambda text: _digits(text.count("1"), 2),
    "palindrome": lambda text: str(int(all(text[k] == text[-1 - k] for k in range(len(text))))),
    "rotate": lambda text: text[1:] + text[0],
    "interleave": lambda text: "".join(text[k // 2 + (k % 2) * -(-len(text) // 2)] for k in range(len(text))),
    "collapse": lambda text: "".join(letter for letter, _ in groupby(text)),
}
"""Of tasks that answer every text over their alphabet."""


def _oracle(task: Task, text: str) -> str | None:
    """The answer by other means than the task's own; None where there is none."""
    if not text or not set(text) <= set(task.alphabet):
        return None
    if task.name in ORACLES:
        return ORACLES[task.name](text)
    sign, base = task.alphabet[-1], len(task.alphabet) - 1
    numbers = text.split(sign)
    if len(numbers) != 2 or not numbers[0] or len(numbers[0]) != len(numbers[1]):
        return None
    x, y = (int(digits[::-1], base) for digits in numbers)
    return _digits(x + y if sign == "+" else x * y, base)


def _digits(value: int, base: int) -> str:
    if base == 10:
        return str(value)[::-1]
    if base in (2, 8):
        return f"{value:{'b' if base == 2 else 'o'}}"[::-1]
    return str(value % base) + (_digits(value // base, base) if value >= base else "")
