"""The shipped networks: a directory for each, with config.json, model.safetensors, evaluation.json and README.md.

A network is named after its task, `bmul`; a second one for a task has its recipe behind it, `copy-paper`.
"""

from pathlib import Path

from neuralgpu.errors import UserError, nearest

HERE = Path(__file__).parent


def names() -> list[str]:
    """The names of the shipped networks."""
    return sorted(path.parent.name for path in HERE.glob("*/config.json"))


def locate(name: str | Path) -> Path:
    """Where a network should be: a shipped one by its name, any other by its path; `./bmul` is a path."""
    return HERE / name if isinstance(name, str) and name in names() else Path(name)


def find(name: str | Path) -> Path:
    """The directory of a network, which must be there."""
    path = locate(name)
    if not path.is_dir():
        raise UserError(
            f"{name} is neither a shipped network nor a directory; name a run directory made by `ngpu train`, or one "
            f"that `ngpu models` lists; {nearest(str(name), names())}"
        )
    return path
