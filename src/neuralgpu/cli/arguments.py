"""Reading arguments: tyro over dataclasses, with every mistake told in one line."""

import contextlib
import io
import re
from collections.abc import Sequence
from typing import TypeVar

import tyro

from neuralgpu.cli.brief import Brief, brief_help
from neuralgpu.errors import UserError

Args = TypeVar("Args")


def parse(
    kind: type[Args],
    verb: str,
    description: str,
    arguments: Sequence[str],
    default: Args | None = None,
    brief: Brief | None = None,
) -> Args:
    """The arguments of a verb as a dataclass; `--help` prints and exits, and `--help-all` where that one is brief."""
    panels = io.StringIO()
    if brief and not {"-h", "--help"}.isdisjoint(arguments):
        print(brief_help(verb, description, kind, default, brief), end="")
        raise SystemExit(0)
    if brief:
        arguments = ["--help" if word == "--help-all" else word for word in arguments]
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
        flags = brief.all_flags if brief else "--help"
        raise UserError(f"{_one_line(panels.getvalue())}; see ngpu {verb} {flags}") from None


def _one_line(panel: str) -> str:
    """The message of tyro's error panel, without its title, its frame and the help that it repeats.

    The panel has a frame where the terminal speaks UTF-8, and a rule below its title elsewhere.
    """
    lines = [line.strip("│ ") for line in panel.splitlines()]
    lines = lines[1:] if panel.startswith("╭") else lines[2:]
    rules = [number for number, line in enumerate(lines) if not line.strip("─-╰╯")]
    suggestion = re.search(r"Perhaps you meant: *(--[\w.-]+)", " ".join(lines))
    message = " ".join(lines[: rules[0]]).rstrip(".")
    message = re.sub(r"^Error parsing [\w.]+: ", "", message)  # an error of ours names the setting itself
    return f"{message}; did you mean {suggestion[1]}?" if suggestion else message
