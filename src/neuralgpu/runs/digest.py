"""Digests that tell a damaged file from a whole one, and the weights of one network from those of another.

web/src/network/digest.ts computes the same.
"""

import hashlib
import struct
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor

COMPUTE = ("threads", "device")
"""Of the training part: where a run is computed, which may change from one resumption to the next."""


def network_digest(data: Mapping[str, Any]) -> str:
    """The digest of the network part of config.json, given as plain data: task, alphabet, tape, steps and model."""
    return _of_plain(data)


def run_digest(training: Mapping[str, Any]) -> str:
    """The digest of all that decides how a run goes on: the training part of config.json without threads and device.

    The network that a run began with is in it; the network part may change with an attempt that has another one.
    """
    return _of_plain({name: value for name, value in training.items() if name not in COMPUTE})


def tensors_digest(tensors: Mapping[str, "Tensor"], state: str, config: str) -> str:
    """The digest of a file's tensors, of its state as text and of the digest of its configuration."""
    digest = hashlib.sha256()
    for name in sorted(tensors):
        tensor = tensors[name].detach().cpu().contiguous()
        kind, shape = str(tensor.dtype).removeprefix("torch."), ",".join(map(str, tensor.shape))
        digest.update(f"{name} {kind} {shape}\n".encode())
        digest.update(tensor.reshape(-1).numpy().data)
    digest.update(f"{state}\n{config}".encode())
    return digest.hexdigest()


def _of_plain(data: Any) -> str:
    lines = sorted(f"{name} {value}\n" for name, value in _leaves(data, ""))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _leaves(data: Any, name: str) -> Iterator[tuple[str, str]]:
    """Each value by its place, written so that 1 and 1.0 are the same number in every language."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            yield from _leaves(value, f"{name}.{key}")
    elif isinstance(data, list | tuple):
        for place, value in enumerate(data):
            yield from _leaves(value, f"{name}.{place}")
    elif isinstance(data, str):
        yield name, f"text {data.encode(errors='surrogatepass').hex()}"
    elif data is None or isinstance(data, bool):
        yield name, str(data).lower()
    else:
        yield name, f"number {_number(data)}"


def _number(value: float) -> str:
    try:
        return struct.pack(">d", value).hex()
    except (OverflowError, struct.error):  # an integer beyond all doubles, which no setting may be
        return str(value)
