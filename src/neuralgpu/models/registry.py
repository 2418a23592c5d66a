"""Every model by its kind, the tag that config.json has."""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from neuralgpu.engine.compute import Compute
from neuralgpu.errors import UserError, nearest
from neuralgpu.models.config import ModelConfig

MOST_PARAMETERS = 100_000_000
"""Parameters of a model at the most; their weights, gradients and moments take two gigabytes."""

_SHAPES_ALONE = Compute(device="meta")
"""Tensors on this device have a shape and no memory."""


@dataclass(frozen=True)
class Kind:
    """Where a model and its configuration are, as module:name, so that neither is loaded before it is needed."""

    config: str
    model: str


KINDS = {
    "neural-gpu": Kind("neuralgpu.models.config:NeuralGPUConfig", "neuralgpu.models.neural_gpu:NeuralGPU"),
    "diagonal": Kind("neuralgpu.models.config:DiagonalConfig", "neuralgpu.models.diagonal:Diagonal"),
    "lstm-attention": Kind(
        "neuralgpu.models.baseline_config:LSTMAttentionConfig", "neuralgpu.models.lstm_attention:LSTMAttention"
    ),
    "stack-rnn": Kind("neuralgpu.models.baseline_config:StackRNNConfig", "neuralgpu.models.stack_rnn:StackRNN"),
}


def config_class(kind: str) -> type[ModelConfig]:
    """The configuration of models of this kind."""
    if kind not in KINDS:
        raise UserError(f"unknown kind of model {kind!r}; {nearest(kind, KINDS)}")
    found: type[ModelConfig] = _load(KINDS[kind].config)
    return found


def model_class(config: ModelConfig) -> Any:
    """The model of a configuration, a subclass of `Model`."""
    return _load(KINDS[config.kind].model)


def restore_model(config: ModelConfig, symbols: int, weights: Mapping[str, Any], compute: Any) -> Any:
    """The model of a configuration with these weights; a RuntimeError says what does not fit, before any memory is
    taken for it."""
    import torch

    for name, weight in weights.items():
        if weight.dtype != torch.float32:
            raise RuntimeError(f"{name} holds numbers of type {weight.dtype}, not torch.float32")
    kind = model_class(config)
    with torch.device("meta"):
        shapes = {name: torch.empty(weight.shape) for name, weight in weights.items()}
        kind.restored(config, symbols, shapes, _SHAPES_ALONE)
    return kind.restored(config, symbols, weights, compute).eval()


def check_parameters(config: ModelConfig, symbols: int, sets: int = 1) -> None:
    """Refuse a model that would take more memory to train than any machine has for it; `sets` multiplies its size."""
    import torch

    with torch.device("meta"):
        model = model_class(config)(config, symbols, compute=_SHAPES_ALONE)
    parameters = sets * sum(weight.numel() for weight in model.parameters())
    if parameters > MOST_PARAMETERS:
        raise UserError(
            f"the network would have {parameters:,} parameters; it must be at most {MOST_PARAMETERS:,}, so take fewer "
            "maps or layers, or smaller kernels"
        )


def _load(place: str) -> Any:
    module, name = place.split(":")
    return getattr(importlib.import_module(module), name)
