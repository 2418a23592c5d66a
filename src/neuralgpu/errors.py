"""The error for what a person at the terminal can mend."""

import difflib
from collections.abc import Iterable


class UserError(ValueError):
    """Says what was wrong, with which value, and what would be right; shown as one line, without a traceback."""


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
