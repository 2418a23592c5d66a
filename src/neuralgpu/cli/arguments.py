"""Reading arguments: tyro over dataclasses, with every mistake told in one line."""

import contextlib
import io
import re
from collections.abc import Sequence
from typing import TypeVar

import tyro

from neuralgpu.errors import UserError

Args = TypeVar("Args")


def parse(kind: type[Args], verb: str, description: str, arguments: Sequence[str], default: Args | None = None) -> Args:
    """The arguments of a verb as a dataclass; `--help` prints and exits."""
    panels = io.StringIO()
    try:
        with contextlib.redirect_stderr(panels):
            return tyro.cli(
                kind,
                prog=f"ngpu {verb}",
                description=description,
                args=list(arguments),
                default=tyro.MISSING_NONPROP if default is None else default,
                config=(tyro.conf.FlagCreatePairsOff,),
            )
    except SystemExit as stop:
        if stop.code in (0, None):
            raise
        raise UserError(f"{_one_line(panels.getvalue())}; see ngpu {verb} --help") from None


def _one_line(panel: str) -> str:
    """The text of tyro's error panel without its frame, title and repeated help."""
    lines = [line.strip("│ ") for line in panel.splitlines() if line.startswith("│")]
    text = re.split(r" ─+(?: For full helptext| Argument helptext|$)", " ".join(lines))[0]
    text = re.sub(r"\s*─+\s*Perhaps you meant:\s*(--\S+).*", r"; did you mean \1?", text)
    return re.sub(r"\s+", " ", text).strip(" .?")
