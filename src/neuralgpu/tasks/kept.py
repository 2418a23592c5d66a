"""What a report may use of a size, where inputs cannot be made and come from a file."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

KeptKind = Literal["trained", "held out", "file"]


class Kept(NamedTuple):
    """Inputs of one size with their answers, and whether they were trained on."""

    kind: KeptKind
    pairs: Sequence[tuple[str, str]]
