"""Inputs that random ones hardly ever are: where a network that only seems to have learned an algorithm fails."""

from collections.abc import Iterator

import numpy as np

from neuralgpu.streams import Stream, stream
from neuralgpu.tasks import Task
from neuralgpu.tasks.arithmetic import Arithmetic


def stress_inputs(task: Task, size: int, seed: int = 0) -> dict[str, str]:
    """Named inputs of one size; the seed decides those that are partly random."""
    rng = stream(seed, Stream.STRESS, size)
    if isinstance(task, Arithmetic):
        pairs = dict(_operands(size, task.base, rng))
        return {name: f"{x}{task.sign}{y}" for name, (x, y) in pairs.items()}
    return dict(_sequences(size, rng))


def _operands(d: int, base: int, rng: np.random.Generator) -> Iterator[tuple[str, tuple[str, str]]]:
    """Pairs of numbers with d digits, least significant first."""
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


def _sequences(size: int, rng: np.random.Generator) -> Iterator[tuple[str, str]]:
    """Sequences of `size` bits."""

    def random(density: float) -> str:
        return "".join("01"[bit] for bit in (rng.random(size) < density).astype(int))

    half = random(0.5)[: (size + 1) // 2]
    for bit, other in ("01", "10"):
        yield f"all {bit}", bit * size
        yield f"alternating from {bit}", ((bit + other) * size)[:size]
        for name, place in (("first", 0), ("middle", size // 2), ("last", size - 1)):
            yield f"single {bit}, {name}", other * place + bit + other * (size - place - 1)
    yield "sorted", "0" * (size // 2) + "1" * (size - size // 2)
    yield "sorted backwards", "1" * (size // 2) + "0" * (size - size // 2)
    yield "palindrome", half + half[: size // 2][::-1]
    yield "sparse", random(0.05)
    yield "dense", random(0.95)
