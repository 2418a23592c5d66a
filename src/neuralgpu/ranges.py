"""The values that a setting may have, declared on its field and checked in one place."""

import functools
import math
from dataclasses import dataclass, is_dataclass
from typing import Annotated, Any, get_type_hints

from neuralgpu.errors import UserError

LARGEST = 2**31 - 1
"""The largest number of anything: cells, steps, examples."""


@dataclass(frozen=True)
class Range:
    """Finite numbers from `least` to `most`, without an end that `open_below` or `open_above` leaves out."""

    least: float = 0.0
    most: float = LARGEST
    open_below: bool = False
    open_above: bool = False

    def __contains__(self, value: float) -> bool:
        above = value > self.least if self.open_below else value >= self.least
        below = value < self.most if self.open_above else value <= self.most
        return above and below and math.isfinite(value)  # last: an integer may be too large for a float

    def __str__(self) -> str:
        """The rule in words.

        >>> str(Range(1)), str(Range(0, 1)), str(Range(0, 1, open_above=True)), str(Range(0, 100, open_below=True))
        ('from 1 to 2147483647', 'from 0 to 1', 'at least 0 and below 1', 'above 0 and at most 100')
        """
        if not (self.open_below or self.open_above):
            return f"from {self.least:.10g} to {self.most:.10g}"
        low = f"above {self.least:.10g}" if self.open_below else f"at least {self.least:.10g}"
        high = f"below {self.most:.10g}" if self.open_above else f"at most {self.most:.10g}"
        return f"{low} and {high}"


Count = Annotated[int, Range(1)]
"""A number of things of which there must be one."""
Number = Annotated[int, Range(0)]
"""A number of things of which there may be none."""
Share = Annotated[float, Range(0, 1)]
"""A part of a whole, all of it included."""
Rate = Annotated[float, Range(0, 1, open_above=True)]
"""A part of a whole that leaves something over."""
Positive = Annotated[float, Range(0, 1e6, open_below=True)]
"""A factor or a rate that may not be zero."""
Amount = Annotated[float, Range(0, 1e6)]
"""A factor or a weight that zero switches off."""


def check_range(name: str, value: float, allowed: Range) -> None:
    """Refuse a value outside a range."""
    if value not in allowed:
        raise UserError(f"{name} is {_shown(value)}; it must be {allowed}")


def check_ranges(settings: object, within: str = "") -> None:
    """Refuse a dataclass that has a value outside its range; dataclasses inside it check themselves. None is a value
    that was not given."""
    for name, allowed in ranges(type(settings)).items():  # type: ignore[arg-type]  # a type is hashable
        value = getattr(settings, name)
        for number in value if isinstance(value, tuple) else (value,):
            if number is not None and number not in allowed:
                raise UserError(f"{within}{name} is {_shown(value)}; it must be {allowed}")


@functools.cache
def ranges(kind: Any) -> dict[str, Range]:
    """The range of each field of a dataclass that declares one; a tuple's holds for each of its items."""
    if not is_dataclass(kind):
        raise TypeError(f"{kind} is no dataclass")
    found = {}
    for name, hint in get_type_hints(kind, include_extras=True).items():
        for part in (hint, *getattr(hint, "__args__", ())):
            for note in getattr(part, "__metadata__", ()):
                if isinstance(note, Range):
                    found[name] = note
    return found


def _shown(value: object) -> str:
    """The value as text that fits on a line."""
    try:
        text = str(value)
    except ValueError:  # Python writes no integer of more than 4300 digits
        text = "an integer of thousands of digits"
    return text if len(text) <= 60 else f"{text[:57]}..."
