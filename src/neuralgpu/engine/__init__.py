"""How a step is computed: the torch reference on any device, or the native kernel on the CPU.

This module chooses and explains; `engine.native` computes.
"""

from typing import Literal, Protocol

from neuralgpu.engine.library import load
from neuralgpu.errors import UserError

Engine = Literal["torch", "native"]
EngineChoice = Literal["auto", "torch", "native"]


class HasMaps(Protocol):
    """What the choice needs to know of a model's configuration."""

    @property
    def maps(self) -> int:
        """m, the numbers held by one cell."""
        ...


def available() -> bool:
    """Whether the native engine is built and loads on this machine."""
    return load().library is not None


def instruction_set() -> str | None:
    """What the native engine was picked for: baseline, avx2, avx512 or neon; None when it is not available."""
    return load().instruction_set


def why() -> str:
    """Why this instruction set, or why there is no native engine and what would give one."""
    return load().why


def choose(name: EngineChoice, device: object, config: HasMaps, multiple: int = 8) -> Engine:
    """The engine for a model on a device (a torch.device or its name).

    `auto` takes the native engine where it can run the model and torch elsewhere; asking for `native` where it cannot
    is an error that says why. Maps must be a multiple of `multiple`: 8 for the CGRU, 24 for the Diagonal cell.
    """
    if name not in ("auto", "torch", "native"):
        raise UserError(f"engine is {name!r}; it must be auto, torch or native")
    obstacle = None
    if not available():
        obstacle = why()
    elif str(device).partition(":")[0] != "cpu":
        obstacle = f"it runs on the cpu, and the device is {device}"
    elif config.maps % multiple:
        obstacle = f"maps is {config.maps} and must be a multiple of {multiple}"
    if name == "native" and obstacle:
        raise UserError(f"the native engine cannot run this model: {obstacle}; choose another or use engine torch")
    return "torch" if name == "torch" or obstacle else "native"
