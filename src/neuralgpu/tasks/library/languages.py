"""Whether a text belongs to a language: balanced brackets of several kinds, and palindromes."""

import numpy as np

from neuralgpu.errors import UserError
from neuralgpu.tasks.library.sequence import Sequence

KINDS = ("()", "[]", "{}")


class Brackets(Sequence):
    """Whether every bracket is closed by one of its kind.

    >>> Brackets().answer("([]{})"), Brackets().answer("([)]")
    ('1', '0')
    """

    name = "brackets"
    inputs = "".join(KINDS)
    alphabet = inputs + "01"

    def nearest_size(self, size: int) -> int:
        """Balanced brackets are even in number, so that all inputs are."""
        return max(2, size // 2 * 2)

    def size(self, text: str) -> int:
        """The number of brackets."""
        size = super().size(text)
        if size % 2:
            raise UserError(f"{text!r} has {size} brackets; {self.name} takes an even number of them")
        return size

    def example(self) -> str:
        """Two kinds, one inside the other."""
        return "([])"

    def random(self, rng: np.random.Generator, size: int) -> str:
        """Half of them balanced, deep or shallow; the others with one bracket changed, two exchanged, or at random."""
        text = list(self._balanced(rng, size))
        fault = rng.integers(6)
        if fault == 0:
            text[rng.integers(size)] = str(rng.choice(list(self.inputs)))
        elif fault == 1:
            one, other = rng.integers(size, size=2)
            text[one], text[other] = text[other], text[one]
        elif fault == 2:
            return super().random(rng, size)
        return "".join(text)

    def _balanced(self, rng: np.random.Generator, size: int) -> str:
        """Balanced brackets; how gladly they open decides how deep they go."""
        text: list[str] = []
        waiting: list[str] = []
        glad = rng.choice([0.3, 0.5, 0.7, 0.95])
        for place in range(size):
            must_close = len(waiting) == size - place
            if not waiting or (not must_close and rng.random() < glad):
                kind = KINDS[rng.integers(len(KINDS))]
                text.append(kind[0])
                waiting.append(kind[1])
            else:
                text.append(waiting.pop())
        return "".join(text)

    def answer(self, text: str) -> str:
        """One if balanced, else zero."""
        self.size(text)
        waiting: list[str] = []
        closing = {kind[0]: kind[1] for kind in KINDS}
        for bracket in text:
            if bracket in closing:
                waiting.append(closing[bracket])
            elif not waiting or waiting.pop() != bracket:
                return "0"
        return str(int(not waiting))

    def stress(self, size: int, rng: np.random.Generator) -> dict[str, str]:
        """As deep and as shallow as can be, balanced and nearly so."""
        half = size // 2
        kinds = [KINDS[k] for k in rng.integers(len(KINDS), size=half)]
        deep = "".join(kind[0] for kind in kinds) + "".join(kind[1] for kind in reversed(kinds))
        wrong = KINDS[(KINDS.index(kinds[0]) + 1) % len(KINDS)][1]
        texts = {
            "deepest": deep,
            "deepest, last one of another kind": deep[:-1] + wrong,
            "deepest, turned": deep[::-1],
            "shallowest": "".join(kinds),
            "shallowest, last one open": "".join(kinds)[:-1] + kinds[-1][0],
            "all open": "(" * size,
            "all closed": ")" * size,
            "closed before open": ")" + "()" * (half - 1) + "(",
        }
        return {name: text for name, text in texts.items() if len(text) == size}


class Palindrome(Sequence):
    """Whether a text reads the same backwards.

    >>> Palindrome().answer("0110"), Palindrome().answer("0111")
    ('1', '0')
    """

    name = "palindrome"
    alphabet = "01"

    def random(self, rng: np.random.Generator, size: int) -> str:
        """Half of them palindromes; the others mostly with a single symbol changed, wherever it is."""
        half = super().random(rng, (size + 1) // 2)
        text = list(half + half[: size // 2][::-1])
        if rng.random() < 0.5:
            return "".join(text)
        if rng.random() < 0.25:
            return super().random(rng, size)
        place = int(rng.integers(size))
        text[place] = "10"[int(text[place])]
        return "".join(text)

    def answer(self, text: str) -> str:
        """One for a palindrome, else zero."""
        self.size(text)
        return str(int(text == text[::-1]))

    def stress(self, size: int, rng: np.random.Generator) -> dict[str, str]:
        """Those of a sequence, and palindromes but for one pair of symbols."""
        texts = super().stress(size, rng)
        whole = texts["palindrome"]
        for name, place in (("outermost", 0), ("innermost", max(size // 2 - 1, 0))):
            texts[f"{name} pair differs"] = whole[:place] + "10"[int(whole[place])] + whole[place + 1 :]
        return texts
