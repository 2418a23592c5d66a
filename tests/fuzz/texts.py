"""Texts given to every task: an answer that agrees with an oracle of another make, or one line about what is wrong."""

from random import Random

import numpy as np

from fuzz import check_line
from neuralgpu.errors import UserError
from neuralgpu.tasks import TASKS, Task, get_task

NAMES = [*TASKS, *(f"{operation}{base}" for operation in ("add", "mul") for base in (3, 5, 6, 7, 8, 9))]
ODD = ["", " ", "\n", "\x00", "é", "०१", "\u2028", "\udcff", "0" * 2000, "-1", "+", "*", "1e9", "NaN"]


def attempt(rng: Random) -> str:
    """Ask a task for the answer to a text: "answered" or "refused"."""
    task = get_task(rng.choice(NAMES))
    text = _text(rng, task)
    expected = _oracle(task, text)
    try:
        answer = task.answer(text)
        tape = task.encode(text)[0]
        solved = task.encode_answer(text)[0]
    except UserError as error:
        check_refusal(expected, check_line(error))
        return "refused"
    assert answer == expected, f"{task.name} answers {answer!r} to {text!r}; {expected!r} is right"
    assert task.decode(tape) == text
    assert task.read(solved) == answer
    assert len(tape) == len(solved) == task.length(task.size(text))
    return "answered"


def check_refusal(expected: str | None, said: str) -> None:
    """Nothing is refused that has an answer."""
    assert expected is None, said


def _text(rng: Random, task: Task) -> str:
    size = rng.choice([1, 1, 2, 3, 5, 8, 20, 41, 100])
    text = task.random(np.random.default_rng(rng.randrange(2**32)), size)
    kind = rng.randrange(4)
    if kind == 0:
        return "".join(rng.choice(task.alphabet) for _ in range(rng.randint(0, 2 * size)))
    if kind == 1:
        place = rng.randrange(len(text) + 1)
        return text[:place] + rng.choice([*ODD, *map(chr, range(32, 127))]) + text[place + rng.randrange(2) :]
    return text


def _oracle(task: Task, text: str) -> str | None:
    """The answer by other means than the task's own; None where there is none."""
    if not text or not set(text) <= set(task.alphabet):
        return None
    if task.name in ("copy", "reverse", "duplicate", "sort"):
        zeros = text.count("0")
        sorted_text = "0" * zeros + "1" * (len(text) - zeros)
        return {"copy": text, "reverse": text[::-1], "duplicate": text * 2, "sort": sorted_text}[task.name]
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
