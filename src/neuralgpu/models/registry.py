"""Every model by its kind, the tag that config.json has."""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from neuralgpu.errors import UserError, nearest
from neuralgpu.models.config import ModelConfig


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
    """The model of a configuration with these weights; a RuntimeError says what does not fit."""
    return model_class(config).restored(config, symbols, weights, compute).eval()


def _load(place: str) -> Any:
    module, name = place.split(":")
    return getattr(importlib.import_module(module), name)
