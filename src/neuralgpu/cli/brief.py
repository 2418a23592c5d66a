"""A short help: the flags that people use, with the flag that lists the others."""

import ast
import inspect
import shutil
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, get_origin

WIDEST = 110
COLUMN = 26


@dataclass(frozen=True)
class Brief:
    """What a verb's `--help` shows where it has more flags than people read."""

    names: tuple[str, ...]
    """the fields whose flags are shown, a positional one first"""
    all_flags: str
    """the flags that show every flag, such as --recipe exact --help-all"""
    others: str
    """what else these show"""


def brief_help(verb: str, description: str, kind: Any, defaults: Any, brief: Brief) -> str:
    """The help: usage, description, the chosen flags with their documentation, and where the others are."""
    docs = field_docs(get_origin(kind) or kind)
    position = next(iter(brief.names))
    rows = [(position.upper(), docs[position])]
    for name in brief.names[1:]:
        default = getattr(defaults, name)
        is_shown = default not in (None, False, "", (), 0)
        rows.append((f"--{name.replace('_', '-')}", docs[name] + (f" (default: {default})" if is_shown else "")))
    rows.append(("-h, --help", "show this and exit"))
    rows.append(("--help-all", f"show every flag; {brief.others}"))
    body = "\n".join(line for row in rows for line in _row(*row))
    return f"usage: ngpu {verb} [{position.upper()}] [OPTIONS]\n\n{description}\noptions:\n{body}\n"


def field_docs(kind: Any) -> dict[str, str]:
    """The documentation of each field of a dataclass: the text below it, those of the classes it extends included."""
    docs: dict[str, str] = {}
    for base in reversed(inspect.getmro(kind)):
        if base.__module__.startswith("neuralgpu"):
            docs |= dict(_docs(ast.parse(textwrap.dedent(inspect.getsource(base))).body[0]))
    return docs


def _docs(definition: ast.stmt) -> Iterable[tuple[str, str]]:
    assert isinstance(definition, ast.ClassDef)
    for one, after in zip(definition.body, definition.body[1:], strict=False):
        match one, after:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                yield name, " ".join(text.split())


def _row(name: str, text: str) -> list[str]:
    width = min(shutil.get_terminal_size().columns, WIDEST) - COLUMN
    lines = textwrap.wrap(text, max(width, 30))
    head = f"  {name}".ljust(COLUMN)
    return [head + lines[0], *(" " * COLUMN + line for line in lines[1:])]
