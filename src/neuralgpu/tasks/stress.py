"""Inputs that random ones hardly ever are: where a network that only seems to have learned an algorithm fails."""

from collections.abc import Iterator

import numpy as np

from neuralgpu.tasks.symbols import Alphabet, join


def sequences(alphabet: Alphabet, size: int, rng: np.random.Generator) -> Iterator[tuple[str, str]]:
    """Named sequences of `size` symbols: one or two different ones, in order, sparse, dense."""
    return ((name, join(symbols, alphabet)) for name, symbols in _sequences(list(alphabet), size, rng))


def _sequences(alphabet: list[str], size: int, rng: np.random.Generator) -> Iterator[tuple[str, list[str]]]:
    first, others = alphabet[0], alphabet[1:] or alphabet

    def random(density: float) -> list[str]:
        is_other, which = rng.random(size) < density, rng.integers(len(others), size=size)
        return [others[k] if other else first for other, k in zip(is_other, which, strict=True)]

    def in_order(symbols: list[str]) -> list[str]:
        ends = [k * size // len(symbols) for k in range(len(symbols) + 1)]
        return [symbol for k, symbol in enumerate(symbols) for _ in range(ends[k + 1] - ends[k])]

    half = random(1 - 1 / len(alphabet))[: (size + 1) // 2]
    for symbol, other in zip(alphabet, [*others, first], strict=False):
        yield f"all {symbol}", [symbol] * size
        yield f"alternating from {symbol}", ([symbol, other] * size)[:size]
        for name, place in (("first", 0), ("middle", size // 2), ("last", size - 1)):
            yield f"single {symbol}, {name}", [*[other] * place, symbol, *[other] * (size - place - 1)]
    yield "sorted", in_order(alphabet)
    yield "sorted backwards", in_order(alphabet[::-1])
    yield "palindrome", half + half[: size // 2][::-1]
    yield "sparse", random(0.05)
    yield "dense", random(0.95)


def operands(d: int, base: int, rng: np.random.Generator) -> Iterator[tuple[str, tuple[str, str]]]:
    """Named pairs of numbers with d digits, least significant first."""
    top = str(base - 1)

    def random(density: float = 1 - 1 / base) -> str:
        digits = rng.integers(1, base, size=d) * (rng.random(d) < density)
        return "".join(map(str, digits))

    def power(place: int) -> str:
        return "0" * place + "1" + "0" * (d - place - 1)

    def small(digits: int) -> str:
        return random()[:digits] + "0" * (d - digits)

    zero, all_top, one, alternating = "0" * d, top * d, power(0), (top + "0") * d
    x, palindrome = random(), random()[: (d + 1) // 2]
    palindrome += palindrome[: d // 2][::-1]
    yield "zeros", (zero, zero)
    yield "zero with anything", (zero, random())
    yield "anything with zero", (random(), zero)
    yield "all top digits", (all_top, all_top)
    yield "one with anything", (one, random())
    yield "anything with one", (random(), one)
    yield "one with one", (one, one)
    for name, place in (("lowest", 0), ("middle", d // 2), ("highest", d - 1)):
        yield f"{name} place alone, first", (power(place), random())
        yield f"{name} place alone, second", (random(), power(place))
        yield f"{name} place alone, both", (power(place), power(place))
    yield "longest carry", (all_top, one)
    yield "longest carry, turned", (one, all_top)
    yield "longest carry from the middle", (all_top, power(d // 2))
    yield "alternating", (alternating[:d], alternating[:d])
    yield "alternating, out of step", (alternating[:d], alternating[1 : d + 1])
    yield "equal operands", (x, x)
    yield "palindromes", (palindrome, palindrome)
    yield "palindrome with anything", (palindrome, random())
    yield "sparse", (random(0.05), random(0.05))
    yield "dense", (random(0.95), random(0.95))
    yield "sparse with dense", (random(0.05), random(0.95))
    yield "unequal magnitudes", (small(max(1, d // 10)), random())
    yield "unequal magnitudes, turned", (random(), small(max(1, d // 10)))
