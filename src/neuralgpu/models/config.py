"""Sizes of the models, apart from them so that reading a configuration does not load torch."""

from dataclasses import dataclass

from neuralgpu.errors import UserError


@dataclass(frozen=True)
class NeuralGPUConfig:
    """The size of a Neural GPU and the shape of its gates; the defaults are the paper's."""

    layers: int = 2
    """l, the number of CGRUs applied in turn in each step"""
    width: int = 4
    """w, the width of the mental image"""
    maps: int = 24
    """m, the numbers held by one cell"""
    kernel_width: int = 3
    """k_w, taps of a kernel across the width; odd"""
    kernel_height: int = 3
    """k_h, taps of a kernel along the tape; odd"""
    cutoff: bool = True
    """gates are 1.2 sigma(x) - 0.1 cut to [0, 1]; without it they are the plain sigmoid"""
    tanh_embedding: bool = False
    """the released code's embedding: tanh(E[i]) through an m x m matrix, with PAD held at zero"""

    def __post_init__(self) -> None:
        for name in ("layers", "width", "maps", "kernel_width", "kernel_height"):
            if getattr(self, name) < 1:
                raise UserError(f"{name} is {getattr(self, name)}; it must be at least 1")
        for name in ("kernel_width", "kernel_height"):
            if getattr(self, name) % 2 == 0:
                raise UserError(f"{name} is {getattr(self, name)}; it must be odd, so that a kernel has a middle")
