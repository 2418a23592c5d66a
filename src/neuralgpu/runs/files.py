"""Files that are whole or not there: atomic writing, and tensors with a JSON state in one safetensors file."""

import contextlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import safetensors.torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from neuralgpu.errors import UserError


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


def save_tensors(path: Path, tensors: Mapping[str, Tensor], state: Mapping[str, Any]) -> None:
    """Write tensors and a JSON state into one file."""
    contiguous = {name: tensor.detach().contiguous() for name, tensor in tensors.items()}
    write_atomically(path, safetensors.torch.save(contiguous, metadata={"state": json.dumps(state)}))


def load_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Read what `save_tensors` wrote."""
    try:
        with safe_open(path, framework="pt") as file:
            names = list(file.keys())
            tensors = {name: file.get_tensor(name) for name in names}
            return tensors, json.loads((file.metadata() or {}).get("state", "{}"))
    except FileNotFoundError:
        raise UserError(f"{path} does not exist; train first, or name another directory") from None
    except (SafetensorError, json.JSONDecodeError) as error:
        raise UserError(f"{path} is damaged ({error}); restore it, or train again") from None
