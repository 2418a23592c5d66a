"""The error for what a person at the terminal can mend."""

import difflib
from collections.abc import Iterable

LONGEST = 280
"""Characters of an error, whatever it quotes: with the name of the command before it, it stays below 300."""
TAIL = 110
"""Of these stand at the end, where the remedy is."""


class UserError(ValueError):
    """Says what was wrong, with which value, and what would be right; shown as one line, without a traceback."""

    def __init__(self, message: object) -> None:
        super().__init__(one_line(str(message)))


def one_line(text: str) -> str:
    """A text as one line that a person reads: what is longer loses its middle, and what cannot be printed is escaped.

    >>> one_line("the input is " + 1000 * "0" + "; give a shorter one")[-25:]
    '00000; give a shorter one'
    >>> one_line("two\\nlines")
    'two lines'
    """
    line = "".join(map(_shown, text))
    return line if len(line) <= LONGEST else f"{line[: LONGEST - TAIL - 3]}...{line[-TAIL:]}"


def _shown(symbol: str) -> str:
    if symbol.isprintable():
        return symbol
    return " " if symbol.isspace() else symbol.encode("unicode_escape").decode()


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint at the known name closest to a wrong one, else the list of them all.

    >>> nearest("bad", ["badd", "bmul"])
    'did you mean badd?'
    >>> nearest("x", ["badd", "bmul"])
    'known: badd, bmul'
    """
    known = list(known)
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    return f"did you mean {close[0]}?" if close else f"known: {', '.join(known)}"


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an allocation failed; torch says so by a RuntimeError of its own."""
    return isinstance(error, MemoryError) or "can't allocate memory" in str(error) or "out of memory" in str(error)
