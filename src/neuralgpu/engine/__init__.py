"""How a step is computed: the torch reference, or the native kernel.

This module chooses and explains; `engine.native` computes.
"""

import os
from typing import Literal

from neuralgpu.engine.library import FORCE, load
from neuralgpu.errors import UserError

Engine = Literal["torch", "native"]
EngineChoice = Literal["auto", "torch", "native"]


def available() -> bool:
    """Whether the native engine is built and loads on this machine."""
    return load().library is not None


def instruction_set() -> str | None:
    """What the native engine was picked for: baseline, avx2, avx512 or neon; None when it is not available."""
    return load().instruction_set


def why() -> str:
    """Why this instruction set, or why there is no native engine and what would give one."""
    return load().why


def choose(name: EngineChoice, obstacle: str | None) -> Engine:
    """The engine for a model with this `native_obstacle()`.

    `auto` takes the native engine where it can run the model and torch elsewhere; asking for `native` where it cannot
    is an error that says why.
    """
    if name not in ("auto", "torch", "native"):
        raise UserError(f"engine is {name!r}; it must be auto, torch or native")
    if not available():
        if name != "torch" and FORCE in os.environ:
            raise UserError(why())
        obstacle = why()
    if name == "native" and obstacle:
        raise UserError(f"the native engine cannot run this model: {obstacle}; choose another or use engine torch")
    return "torch" if name == "torch" or obstacle else "native"
