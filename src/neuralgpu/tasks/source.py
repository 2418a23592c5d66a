"""The file that a task was read from: a run remembers it, because it can only go on with the same."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from neuralgpu.errors import UserError


@dataclass(frozen=True)
class Source:
    """Which file it was, and how it was read."""

    file: str
    """its path when the training began"""
    sha256: str
    """of its content"""
    words: bool = False
    """symbols are words, with spaces between them"""

    @classmethod
    def of(cls, path: Path, content: bytes, words: bool = False) -> "Source":
        """The source that is this file."""
        return cls(str(path.absolute()), hashlib.sha256(content).hexdigest(), words)


def read_source(path: Path) -> bytes:
    """The content of a file that a person named."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        known = "a file of examples, a file with a task, or a task of `ngpu tasks`"
        raise UserError(f"{path} does not exist; name {known}") from None
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None
