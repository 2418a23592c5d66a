"""Tasks of one's own: one as docs/architecture.md says to write it, and one whose exam is easy."""

import numpy as np

from neuralgpu.tasks import Task, get_task, random_text


class Swap(Task):
    """Every a becomes a b and every b an a; c stays.

    >>> Swap().answer("abca")
    'bacb'
    """

    name = "swap"
    alphabet = "abc"

    def random(self, rng: np.random.Generator, size: int) -> str:
        """Independent letters."""
        return random_text(rng, self.alphabet, size)

    def answer(self, text: str) -> str:
        """The text with a and b exchanged."""
        return text.translate(str.maketrans("ab", "ba"))


class Three(type(get_task("copy"))):  # type: ignore[misc]
    """Copies three symbols; nobody asks for more."""

    def nearest_size(self, size: int) -> int:
        return 3
