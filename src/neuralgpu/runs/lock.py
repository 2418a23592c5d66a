"""A lock on a directory: one process writes there at a time, and a second one is told which that is.

The system takes a lock back from a process that ends or is killed, so the file alone, left by a dead process, holds
nobody up.
"""

import contextlib
import fcntl
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from neuralgpu.errors import UserError

LOCK_SECONDS = 0.2
"""Between two looks at a lock that another process holds."""


class UnlockableError(OSError):
    """The file system cannot lock files."""


@contextlib.contextmanager
def locked(path: Path, wait: bool = False) -> Iterator[None]:
    """Hold the lock of a directory through this file in it.

    Where another process has it, `wait` waits for that to end; without it a UserError names the process.
    """
    with path.open("a+") as file:
        while not _flock(file, fcntl.LOCK_EX):
            if not wait:
                raise UserError(f"{path.parent} is in use by {_owner(file)}; wait until it is done, or stop it")
            time.sleep(LOCK_SECONDS)
        file.truncate(0)
        file.write(f"process {os.getpid()} on {socket.gethostname()}")
        file.flush()
        yield


def is_locked(path: Path) -> bool:
    """Whether a process holds the lock of this file."""
    try:
        with path.open() as file:
            return not _flock(file, fcntl.LOCK_SH)
    except FileNotFoundError:
        return False


def _flock(file: IO[str], kind: int) -> bool:
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        raise UnlockableError(error.errno, error.strerror) from None
    return True


def _owner(file: IO[str]) -> str:
    file.seek(0)
    return file.read(200).strip() or "another process"
