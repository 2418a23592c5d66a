"""Every model, found by its configuration."""

from torch import Tensor

from neuralgpu.models.config import DiagonalConfig, NeuralGPUConfig
from neuralgpu.models.diagonal import Diagonal
from neuralgpu.models.neural_gpu import NeuralGPU

Model = NeuralGPU | Diagonal


def restore_model(config: NeuralGPUConfig | DiagonalConfig, symbols: int, weights: dict[str, Tensor]) -> Model:
    """The model of a configuration with these weights; a RuntimeError says what does not fit."""
    model: Model
    if isinstance(config, DiagonalConfig):
        model = Diagonal(config, symbols)
    else:
        model = NeuralGPU(config, symbols, sets=len(weights["U"]) if "U" in weights else 1)
    model.load_state_dict(weights)
    return model.eval()
