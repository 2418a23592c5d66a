"""Text and symbols: a symbol is a character, or a word where words stand between spaces."""

from collections.abc import Iterable, Sequence

Alphabet = str | tuple[str, ...]
"""The symbols of a task in their order on a tape: the characters of a text, or words."""

EMPTY = {True: "", False: " "}  # how an empty cell reads, where symbols are words and where they are characters


def split(text: str, alphabet: Alphabet) -> Sequence[str]:
    """The symbols of a text.

    >>> split("011", "01"), split("to  be", ("be", "to"))
    ('011', ['to', 'be'])
    """
    return text if isinstance(alphabet, str) else text.split()


def join(symbols: Iterable[str], alphabet: Alphabet) -> str:
    """The text of symbols.

    >>> join(["1", "0"], "01"), join(["to", "be"], ("be", "to"))
    ('10', 'to be')
    """
    return ("" if isinstance(alphabet, str) else " ").join(symbols)


def obstacle(alphabet: Alphabet) -> str | None:
    """Why these symbols could not be told apart in a text; None where they can.

    >>> obstacle("01") is obstacle(("to", "be")) is None
    True
    >>> obstacle("0 1"), obstacle(("to be",))
    ("it has ' '; no symbol has a space in it", "it has 'to be'; no symbol has a space in it")
    """
    if not alphabet:
        return "it has no symbols"
    if len(set(alphabet)) < len(alphabet):
        twice = next(symbol for symbol in alphabet if list(alphabet).count(symbol) > 1)
        return f"it has {twice!r} twice; give each symbol once"
    for symbol in alphabet:
        if " " in symbol or (not isinstance(alphabet, str) and symbol.split() != [symbol]):
            return f"it has {symbol!r}; no symbol has a space in it"
    return None
