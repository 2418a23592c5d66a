"""Sizes of the models, apart from them so that reading a configuration does not load torch."""

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Self

from neuralgpu.errors import UserError
from neuralgpu.ranges import Range, check_ranges

Size = Annotated[int, Range(1, 1024)]
"""Maps, layers and the like: what a network of millions of weights would still have."""


@dataclass(frozen=True)
class ModelConfig:
    """What every model's configuration has: a kind, by which the registry finds the model."""

    kind: ClassVar[str]
    takes_noise: ClassVar[bool] = False
    """whether its pre-activations can be disturbed in training"""

    def __post_init__(self) -> None:
        check_ranges(self)

    def widened(self, times: int) -> Self:
        """The same model with this many times its maps."""
        return replace(self, maps=self.maps * times)  # type: ignore[attr-defined,call-arg]  # every tape model has maps

    def native_obstacle(self) -> str | None:
        """Why the native engine cannot run this model, None where it can."""
        return f"it does not know models of the kind {self.kind}"


@dataclass(frozen=True)
class NeuralGPUConfig(ModelConfig):
    """The size of a Neural GPU and the shape of its gates; the defaults are the paper's."""

    kind = "neural-gpu"

    layers: Size = 2
    """l, the number of CGRUs applied in turn in each step"""
    width: Size = 4
    """w, the width of the mental image"""
    maps: Size = 24
    """m, the numbers held by one cell"""
    kernel_width: Size = 3
    """k_w, taps of a kernel across the width; odd"""
    kernel_height: Size = 3
    """k_h, taps of a kernel along the tape; odd"""
    cutoff: bool = True
    """gates are 1.2 sigma(x) - 0.1 cut to [0, 1]; without it they are the plain sigmoid"""
    tanh_embedding: bool = False
    """the released code's embedding: tanh(E[i]) through an m x m matrix, with PAD held at zero"""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("kernel_width", "kernel_height"):
            if getattr(self, name) % 2 == 0:
                raise UserError(f"{name} is {getattr(self, name)}; it must be odd, so that a kernel has a middle")

    def native_obstacle(self) -> str | None:
        """Vectors of the native engine hold 8 maps."""
        return f"maps is {self.maps} and must be a multiple of 8" if self.maps % 8 else None


@dataclass(frozen=True)
class DiagonalConfig(ModelConfig):
    """The size of a Diagonal Neural GPU; the defaults are its authors' for multiplication."""

    kind = "diagonal"
    takes_noise = True

    maps: Size = 96
    """m, the numbers held by one cell; a multiple of 3, because a third of them moves each way"""
    kernel: Size = 3
    """taps of a kernel along the tape; odd and at least 3"""
    levels: Annotated[int, Range(0, 1024)] = 0
    """states are rounded to multiples of 1/levels; 0 leaves them as they are"""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.kernel < 3 or self.kernel % 2 == 0:
            raise UserError(f"kernel is {self.kernel}; it must be odd and at least 3 to reach both neighbours")
        if self.maps % 3:
            raise UserError(f"maps is {self.maps}; it must be a multiple of 3, because a third of them moves each way")

    def native_obstacle(self) -> str | None:
        """A third of the maps fills vectors of the native engine."""
        return f"maps is {self.maps} and must be a multiple of 24" if self.maps % 24 else None
