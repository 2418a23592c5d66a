"""A sweep is a directory: sweep.json, points/NUMBER/ for each training, and the decisions of pruning.

A point's directory is a run directory with three files more: `result.json`, written by rename when all is done;
`attempts.jsonl`, a line for each time that it was begun or failed; and `lock`, held by the process that trains it.
"""

import contextlib
import errno
import hashlib
import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from neuralgpu.errors import UserError
from neuralgpu.runs.config import parse, read_json
from neuralgpu.runs.directory import CHECKPOINT
from neuralgpu.runs.files import write_atomically
from neuralgpu.runs.lock import UnlockableError, is_locked, locked
from neuralgpu.sweeps.config import FORMAT, SweepConfig

DEATHS = 5
"""Workers that may die at a point, without any progress, for each try that it has."""
NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM}
"""Errors of the storage: no point's fault, and no use in trying again."""


class StorageError(UserError):
    """The sweep's directory cannot be used; it stops the sweep, not a point of it."""


class PointDirectory:
    """The files of one point."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def number(self) -> int:
        """The point's."""
        return int(self.path.name)

    def result(self) -> dict[str, Any] | None:
        """What the training came to; None before its end."""
        path = self.path / "result.json"
        return _read(path) if path.exists() else None

    def write_result(self, result: dict[str, Any]) -> None:
        """The last file of a point: it is done."""
        write_atomically(self.path / "result.json", (json.dumps(result, indent=2) + "\n").encode())

    def saved_step(self) -> int:
        """The step of the newest checkpoint; 0 where there is none."""
        names = (path.name for path in (self.path / "checkpoints").glob("step-*"))
        return max((int(found[1]) for found in map(CHECKPOINT.fullmatch, names) if found), default=0)

    def metrics(self) -> list[dict[str, float]]:
        """The lines of metrics.jsonl that are whole."""
        return _lines(self.path / "metrics.jsonl")

    def attempts(self) -> list[dict[str, Any]]:
        """When and where the training was begun, and how it failed."""
        return _lines(self.path / "attempts.jsonl")

    def note(self, **what: Any) -> None:
        """Add a line to attempts.jsonl."""
        line = {"time": round(time.time(), 3), "host": socket.gethostname(), "step": self.saved_step(), **what}
        with (self.path / "attempts.jsonl").open("a") as file:
            file.write(json.dumps(line) + "\n")

    def failures(self) -> list[str]:
        """What went wrong since the last progress: failures at an earlier checkpoint than the newest do not count."""
        return self._since_progress("failed")

    def deaths(self) -> list[str]:
        """How workers died since the last progress: killed, out of memory, crashed."""
        return self._since_progress("died")

    def given_up(self, retries: int) -> bool:
        """Whether it is of no use to try again; a worker that dies is seldom the point's fault, but may be."""
        return len(self.failures()) > retries or len(self.deaths()) > DEATHS * (retries + 1)

    def _since_progress(self, what: str) -> list[str]:
        step = self.saved_step()
        return [line[what] for line in self.attempts() if what in line and line["step"] == step]

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Wait for the right to write here; the system takes it back from a process that dies."""
        self.path.mkdir(parents=True, exist_ok=True)
        with contextlib.ExitStack() as stack:
            try:
                stack.enter_context(locked(self.path / "lock", wait=True))
            except UnlockableError as error:
                raise StorageError(
                    f"{self.path} is on storage that cannot lock files ({error.strerror}); put the sweep on one that "
                    "can, such as a local disk, NFS 4 or Lustre mounted with flock"
                ) from None
            yield

    def is_locked(self) -> bool:
        """Whether a process is training here."""
        return is_locked(self.path / "lock")


class SweepDirectory:
    """The files of a sweep."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config = _load(path / "sweep.json")

    @classmethod
    def find(cls, path: Path, config: SweepConfig) -> "SweepDirectory | None":
        """The directory of this sweep, if it was begun; a UserError says so if it is that of something else."""
        if (path / "sweep.json").exists():
            directory = cls(path)
            _check_same(path, directory.config, config)
            return directory
        if path.exists() and (not path.is_dir() or any(file.name != ".sweep.json.tmp" for file in path.iterdir())):
            raise UserError(f"{path} holds other files and no sweep; name a new directory with --out")
        return None

    @classmethod
    def create(cls, path: Path, config: SweepConfig) -> "SweepDirectory":
        """Begin a sweep."""
        with writing(path):
            path.mkdir(parents=True, exist_ok=True)
            write_atomically(path / "sweep.json", config.to_json().encode())
        return cls(path)

    @property
    def fingerprint(self) -> str:
        """Tells whether another machine sees the same directory."""
        return fingerprint(self.path)

    def point(self, number: int) -> PointDirectory:
        """The directory of a point."""
        return PointDirectory(self.path / "points" / f"{number:0{len(str(len(self.config.points) - 1))}d}")

    def rung(self, number: int) -> dict[str, Any] | None:
        """What pruning decided at a rung; None before it did."""
        path = self.path / f"rung-{number}.json"
        return _read(path) if path.exists() else None

    def write_rung(self, number: int, verdict: dict[str, Any]) -> None:
        """Keep what pruning decided."""
        with writing(self.path):
            write_atomically(self.path / f"rung-{number}.json", (json.dumps(verdict) + "\n").encode())

    def pruned(self) -> dict[int, int]:
        """The points that pruning ended, each with its rung."""
        rungs = {rung: self.rung(rung) for rung in (1, 2, 3)}
        return {number: rung for rung, verdict in rungs.items() if verdict for number in verdict["pruned"]}


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn errors of the storage into one sentence that says how to go on."""
    try:
        yield
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        reason = (error.strerror or str(error)).lower()
        raise StorageError(
            f"cannot write to {path}: {reason}; nothing is lost: mend that, and the same command goes on"
        ) from None


def fingerprint(path: Path) -> str:
    """A digest of sweep.json; empty where there is none."""
    try:
        return hashlib.sha256((path / "sweep.json").read_bytes()).hexdigest()[:16]
    except FileNotFoundError:
        return ""


def _load(path: Path) -> SweepConfig:
    if not path.exists():
        raise UserError(f"{path.parent} holds no sweep; name a directory made by `ngpu sweep`")
    data = read_json(path)
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise UserError(f"{path} is not of format {FORMAT}, the only one known here; upgrade neuralgpu")
    try:
        config = parse(SweepConfig, data)
    except UserError as error:
        raise UserError(f"{path}: {error}") from None
    return config


def _check_same(path: Path, there: SweepConfig, here: SweepConfig) -> None:
    one, other = (json.loads(config.to_json()) for config in (there, here))
    explained = ("settings", "compute")  # by axes, and by settings: named only where nothing else differs
    for name, value in sorted(one.items(), key=lambda item: explained.index(item[0]) if item[0] in explained else -1):
        if value == other[name] or name == "threads":  # no result depends on threads
            continue
        if name == "settings":
            name = next(key for key in {**value, **other[name]} if value.get(key) != other["settings"].get(key))
            value, asked = value.get(name), other["settings"].get(name)
        elif name == "axes":
            value, asked = (_axes_words(axes) for axes in (value, other[name]))
        else:
            asked = other[name]
        raise UserError(
            f"{path} holds another sweep: {name} is {value} there and {asked} here; choose another --out, or give the "
            "same settings to go on with it"
        )


def _axes_words(axes: list[dict[str, Any]]) -> str:
    return " ".join(f"{axis['name']}={','.join(map(str, axis['values']))}" for axis in axes)


def _read(path: Path) -> dict[str, Any]:
    data = read_json(path)
    if not isinstance(data, dict):
        raise UserError(f"{path} is damaged: it holds no object; remove it, and the same command makes it again")
    return data


def _lines(path: Path) -> list[dict[str, Any]]:
    """The JSON lines of a file; one that a kill cut in the middle is left out."""
    lines = []
    for line in path.read_text().splitlines() if path.exists() else []:
        with contextlib.suppress(ValueError):
            lines.append(json.loads(line))
    return lines
