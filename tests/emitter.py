"""A model that is no tape automaton: it reads the tape once and emits one symbol after the other.

Such a model is this file and a line in `neuralgpu.models.registry.KINDS`.
"""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from neuralgpu.engine.compute import Compute
from neuralgpu.models.config import ModelConfig, Size
from neuralgpu.models.model import Model


@dataclass(frozen=True)
class EmitterConfig(ModelConfig):
    """The size of an Emitter."""

    kind = "emitter"

    hidden: Size = 4
    """numbers of its state"""


class Emitter(Model):
    """Copies: each symbol that it emits is the one it reads, but for a state that its weights make of those before."""

    config: EmitterConfig

    def __init__(self, config: EmitterConfig, symbols: int, seed: int = 0, compute: Compute | None = None) -> None:
        super().__init__(config, symbols, seed, compute)
        generator = torch.Generator().manual_seed(seed)
        self.W = nn.Parameter(torch.randn(symbols, config.hidden, generator=generator))
        self.V = nn.Parameter(torch.zeros(config.hidden, symbols))

    def forward(self, i: Tensor, steps: int) -> Tensor:
        """Scores (batch, n, symbols), greedily: what was emitted decides what is emitted next."""
        emitted = i.new_zeros(len(i))
        scores = []
        for k in range(i.shape[1]):
            scores.append(F.one_hot(i[:, k], self.symbols) + torch.tanh(self.W[emitted]) @ self.V)
            emitted = scores[-1].argmax(dim=-1)
        return torch.stack(scores, dim=1)
