"""What tasks of the library have in common: inputs of varied kinds, of symbols to which answers may add others."""

import numpy as np

from neuralgpu.errors import UserError
from neuralgpu.tasks.stress import sequences
from neuralgpu.tasks.task import Task


class Sequence(Task):
    """A task on any sequence of its input symbols."""

    inputs: str = "01"
    """the symbols that an input has; answers may have others"""

    def size(self, text: str) -> int:
        """The number of symbols."""
        self._check_symbols(text)
        for position, symbol in enumerate(text):
            if symbol not in self.inputs:
                raise UserError(
                    f"symbol {symbol!r} at position {position} is no symbol of an input of {self.name}: "
                    f"{' '.join(self.inputs)}"
                )
        return len(text)

    def example(self) -> str:
        """Four symbols: eleven, where they are bits."""
        return "".join(self.inputs[place] for place in (1, 1, 0, -1))

    def random(self, rng: np.random.Generator, size: int) -> str:
        """Independent symbols, some symbols more often than others, or runs."""
        return varied(rng, self.inputs, size)

    def stress(self, size: int, rng: np.random.Generator) -> dict[str, str]:
        """One or two different symbols, in order, sparse, dense."""
        return {name: text for name, text in sequences(self.inputs, size, rng) if self._takes(text, size)}


def varied(rng: np.random.Generator, symbols: str, size: int) -> str:
    """A text of symbols: half of the time independent and alike, else with a share of each of its own, or in runs.

    >>> len(varied(np.random.default_rng(0), "01", 12))
    12
    """
    kind = rng.random()
    if kind < 0.5:
        return "".join(rng.choice(list(symbols), size))
    drawn = rng.choice(len(symbols), size, p=rng.dirichlet(np.ones(len(symbols))))
    if kind >= 0.75:
        starts = rng.random(size) < rng.choice([0.1, 0.2, 0.4])
        drawn = drawn[np.maximum.accumulate(np.where(starts, np.arange(size), 0))]
    return "".join(symbols[number] for number in drawn)
