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
        _require_positive(self, "layers", "width", "maps", "kernel_width", "kernel_height")
        _require_odd(self, "kernel_width", "kernel_height")


@dataclass(frozen=True)
class DiagonalConfig:
    """The size of a Diagonal Neural GPU; the defaults are its authors' for multiplication."""

    maps: int = 96
    """m, the numbers held by one cell; a multiple of 3, because a third of them moves each way"""
    kernel: int = 3
    """taps of a kernel along the tape; odd and at least 3"""
    levels: int = 0
    """states are rounded to multiples of 1/levels; 0 leaves them as they are"""

    def __post_init__(self) -> None:
        _require_positive(self, "maps")
        if self.kernel < 3 or self.kernel % 2 == 0:
            raise UserError(f"kernel is {self.kernel}; it must be odd and at least 3 to reach both neighbours")
        if self.maps % 3:
            raise UserError(f"maps is {self.maps}; it must be a multiple of 3, because a third of them moves each way")
        if self.levels < 0:
            raise UserError(f"levels is {self.levels}; it must be at least 0")


def _require_positive(config: object, *names: str) -> None:
    for name in names:
        if getattr(config, name) < 1:
            raise UserError(f"{name} is {getattr(config, name)}; it must be at least 1")


def _require_odd(config: object, *names: str) -> None:
    for name in names:
        if getattr(config, name) % 2 == 0:
            raise UserError(f"{name} is {getattr(config, name)}; it must be odd, so that a kernel has a middle")
