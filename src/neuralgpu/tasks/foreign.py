"""A task that this installation does not know: a network for it can be used, and nothing else is known about it."""

from typing import NoReturn

import numpy as np

from neuralgpu.errors import UserError
from neuralgpu.tasks.symbols import Alphabet, join, obstacle
from neuralgpu.tasks.task import Task


class ForeignTask(Task):
    """A name and an alphabet. Any text of these symbols may be an input; what the right answer is, nobody here knows.

    >>> ForeignTask("shuffle", "abc").encode("cab").tolist()
    [[3, 1, 2]]
    """

    def __init__(self, name: str, alphabet: Alphabet) -> None:
        if obstacle(alphabet):
            raise UserError(f"the alphabet of {name} is {alphabet!r}; it must have symbols, each once, and no space")
        self.name = name
        self.alphabet = alphabet

    def random(self, rng: np.random.Generator, size: int) -> NoReturn:
        """There are no inputs to draw."""
        raise UserError(
            f"the task {self.name} is not known here, so it has no random inputs and no true answers; "
            "networks for it can be run, and evaluated on a file: ngpu evaluate NETWORK --data FILE"
        )

    def answer(self, text: str) -> None:
        """Not known."""
        self.size(text)

    def example(self) -> str:
        """Every symbol once."""
        return join(self.alphabet, self.alphabet)

    def stress(self, size: int, rng: np.random.Generator) -> dict[str, str]:
        """None, as there are no answers."""
        return {}
