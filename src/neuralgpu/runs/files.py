"""Files that are whole or not there: atomic writing, and tensors with a JSON state in one safetensors file.

A safetensors file carries the digest of all that is in it and that of the configuration it belongs to. Files of
versions before the digest have none, and are taken as they are.
"""

import contextlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import safetensors.torch
import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from neuralgpu.errors import UserError
from neuralgpu.runs.digest import tensors_digest

OURS = "neuralgpu"
"""The one entry of a file's metadata, since safetensors would write several in any order: JSON with the state as text,
the digest of the configuration and that of everything."""
ABOUT = ("state", "config", "digest")
FORMER = {"state", "format"}
"""Entries that files without a digest may have: the state alone, and what other programs write."""


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file so that a kill at any moment leaves either the old content or the new."""
    temporary = path.with_name(f".{path.name}.tmp")
    with temporary.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    with contextlib.suppress(OSError):  # some file systems cannot sync a directory
        directory = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)


def read_bytes(path: Path) -> bytes:
    """The content of a file that is there; a UserError where it is none or cannot be read. A pipe would wait for
    ever, so it is none."""
    check_file(path)
    try:
        return path.read_bytes()
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None


def check_file(path: Path) -> None:
    """Refuse what is there and no regular file: a directory, a pipe, a device."""
    if path.exists() and not path.is_file():
        raise UserError(f"{path} is not a file; put back the file that stood there, or name another directory")


def save_tensors(path: Path, tensors: Mapping[str, Tensor], state: Mapping[str, Any], config: str) -> None:
    """Write tensors and a JSON state into one file that belongs to the configuration with this digest."""
    contiguous = {name: tensor.detach().contiguous() for name, tensor in tensors.items()}
    about = {"state": json.dumps(state), "config": config}
    about["digest"] = tensors_digest(contiguous, about["state"], config)
    write_atomically(path, safetensors.torch.save(contiguous, metadata={OURS: json.dumps(about)}))


def load_tensors(path: Path, config: str) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Read what `save_tensors` wrote for the configuration with this digest.

    A UserError says so where the file is damaged, belongs to another configuration, or holds numbers that are not
    finite.
    """
    check_file(path)
    try:
        with safe_open(path, framework="pt") as file:
            tensors = {name: file.get_tensor(name) for name in list(file.keys())}
            metadata = file.metadata() or {}
        state = json.loads(_checked_state(path, tensors, metadata, config))
    except UserError:
        raise
    except FileNotFoundError:
        raise UserError(f"{path} does not exist; train first, or name another directory") from None
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror or error}") from None
    except (SafetensorError, ValueError, TypeError, RuntimeError, KeyError, OverflowError, MemoryError) as error:
        raise damaged(path, str(error)) from None  # a RecursionError is a RuntimeError
    if not isinstance(state, dict):
        raise damaged(path, "its state is no object")
    for name, tensor in tensors.items():
        if tensor.is_floating_point() and not torch.isfinite(tensor).all():
            raise UserError(
                f"{name} in {path} holds numbers that are not finite, because a training diverged or the file is "
                "damaged; restore it, or train again with a lower learning rate"
            )
    return tensors, state


def damaged(path: Path, reason: str) -> UserError:
    """The error about a file with another content than it was written with."""
    return UserError(f"{path} is damaged ({reason}); restore it, or train again")


def _checked_state(path: Path, tensors: Mapping[str, Tensor], metadata: Mapping[str, str], config: str) -> str:
    """The state of a file that is as it was written, for the configuration that it was written for."""
    if metadata.keys() <= FORMER:
        return metadata.get("state", "{}")
    if metadata.keys() != {OURS}:
        raise damaged(path, f"its metadata has {min(metadata.keys() - FORMER - {OURS}, default=OURS)[:40]!r}")
    about = json.loads(metadata[OURS])
    if not isinstance(about, dict) or not all(isinstance(about.get(name), str) for name in ABOUT):
        raise damaged(path, f"its metadata lacks one of {', '.join(ABOUT)}")
    if about["digest"] != tensors_digest(tensors, about["state"], about["config"]):
        raise damaged(path, "its content does not match its digest")
    if about["config"] != config:
        raise UserError(
            f"{path} does not belong to the config.json there: another task, tape or model, or other settings; "
            "restore the config.json that it was written with"
        )
    state: str = about["state"]
    return state
