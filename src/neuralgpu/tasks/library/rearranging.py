"""Putting symbols into another order: rotation, interleaving, words backwards, without repetitions, sorted."""

from itertools import groupby

import numpy as np

from neuralgpu.tasks.library.sequence import Sequence


class Rotate(Sequence):
    """The first symbol goes to the end.

    >>> Rotate().answer("abbcd")
    'bbcda'
    """

    name = "rotate"
    alphabet = inputs = "abcd"

    def answer(self, text: str) -> str:
        """One place to the left."""
        self.size(text)
        return text[1:] + text[0]


class Interleave(Sequence):
    """The symbols of the two halves in turn; the first half has the middle one.

    >>> Interleave().answer("aaabbb"), Interleave().answer("abcd")
    ('ababab', 'acbd')
    """

    name = "interleave"
    alphabet = inputs = "abcd"

    def answer(self, text: str) -> str:
        """First of the first half, first of the second, and so on."""
        half = (self.size(text) + 1) // 2
        turns = [text[k : k + 1] + text[half + k : half + k + 1] for k in range(half)]
        return "".join(turns)


class ReverseWords(Sequence):
    """The words of a sentence from the last to the first; an underscore stands between words.

    >>> ReverseWords().answer("ab_b_aab")
    'aab_b_ab'
    """

    name = "reverse_words"
    alphabet = inputs = "ab_"

    def example(self) -> str:
        """Two words."""
        return "ab_b"

    def random(self, rng: np.random.Generator, size: int) -> str:
        """Words of one to a few letters, in some sentences short, in others long."""
        letters = list(super().random(rng, size).replace("_", str(rng.choice(["a", "b"]))))
        gap = rng.random(size) < rng.choice([0.1, 0.25, 0.5])
        for place in range(1, size - 1):
            if gap[place] and letters[place - 1] != "_":
                letters[place] = "_"
        return "".join(letters)

    def answer(self, text: str) -> str:
        """Words stay as they are, their order turns."""
        self.size(text)
        return "_".join(reversed(text.split("_")))


class Collapse(Sequence):
    """Every run of one symbol becomes a single one.

    >>> Collapse().answer("aabbbca")
    'abca'
    """

    name = "collapse"
    alphabet = inputs = "abc"

    def answer(self, text: str) -> str:
        """The first symbol of each run."""
        self.size(text)
        return "".join(symbol for symbol, _ in groupby(text))


class SortFour(Sequence):
    """Four different symbols in order.

    >>> SortFour().answer("badcab")
    'aabbcd'
    """

    name = "sort4"
    alphabet = inputs = "abcd"

    def answer(self, text: str) -> str:
        """The sorted text."""
        self.size(text)
        return "".join(sorted(text))
