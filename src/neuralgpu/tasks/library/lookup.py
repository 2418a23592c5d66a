"""Looking up a key in a list of pairs."""

import numpy as np

from neuralgpu.errors import UserError
from neuralgpu.tasks.task import Task, random_text

KEYS, VALUES, NONE = "abcdefgh", "0123", "-"


class Lookup(Task):
    """The value of the last pair that has the key; the key comes first, then pairs of a key and its value.

    >>> Lookup().answer("b" + "a1b0c1")
    '0'
    >>> Lookup().answer("b" + "b2a1b3"), Lookup().answer("b" + "a1")
    ('3', '-')
    """

    name = "lookup"
    alphabet = KEYS + VALUES + NONE

    def nearest_size(self, size: int) -> int:
        """A key and a number of pairs: odd, and at least three."""
        return max(3, size - 1 + size % 2)

    def size(self, text: str) -> int:
        """The number of symbols, the key and both of each pair."""
        self._check_symbols(text)
        keys, values = text[0] + text[1::2], text[2::2]
        if len(keys) != len(values) + 1 or not values or set(keys) - set(KEYS) or set(values) - set(VALUES):
            raise UserError(
                f"{text!r} is no key of {KEYS} with pairs of a key and a value of {VALUES} after it, like "
                f"{self.example()!r}"
            )
        return len(text)

    def example(self) -> str:
        """The second of three pairs."""
        return "ba1b0c1"

    def random(self, rng: np.random.Generator, size: int) -> str:
        """The last pair with the key is at any place, all alike, and one time in six there is none."""
        pairs = size // 2
        key = KEYS[rng.integers(len(KEYS))]
        place = -1 if rng.random() < 1 / 6 else int(rng.integers(pairs))
        others = KEYS.replace(key, "")
        keys = [key if k == place else random_text(rng, KEYS if k < place else others, 1) for k in range(pairs)]
        return key + "".join(k + value for k, value in zip(keys, random_text(rng, VALUES, pairs), strict=True))

    def answer(self, text: str) -> str:
        """One value, or a dash where no pair has the key."""
        self.size(text)
        found = dict(zip(text[1::2], text[2::2], strict=True))  # the last of equal keys stays
        return found.get(text[0], NONE)

    def stress(self, size: int, rng: np.random.Generator) -> dict[str, str]:
        """The key in the first pair alone, in the last alone, in all, in none."""
        pairs = size // 2
        values = random_text(rng, VALUES, pairs)
        keys = {
            "first pair": "a" + "b" * (pairs - 1),
            "last pair": "b" * (pairs - 1) + "a",
            "every pair": "a" * pairs,
            "no pair": "b" * pairs,
        }
        return {name: "a" + "".join(k + v for k, v in zip(row, values, strict=True)) for name, row in keys.items()}
