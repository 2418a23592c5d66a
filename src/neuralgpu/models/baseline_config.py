"""Sizes of the two models that the paper compares the Neural GPU with; reading them does not load torch."""

from dataclasses import dataclass
from typing import Annotated

from neuralgpu.models.config import ModelConfig, Size
from neuralgpu.ranges import Range


@dataclass(frozen=True)
class LSTMAttentionConfig(ModelConfig):
    """The size of the LSTM with attention; the defaults are the paper's."""

    kind = "lstm-attention"

    layers: Annotated[int, Range(1, 64)] = 3
    """layers of the encoder, and of the decoder"""
    cells: Size = 64
    """LSTM cells of a layer, and numbers of an embedding"""


@dataclass(frozen=True)
class StackRNNConfig(ModelConfig):
    """The size of the stack-RNN; the defaults are its authors' for addition."""

    kind = "stack-rnn"

    hidden: Size = 100
    """number of hidden units, which see a symbol and the tops of the stacks"""
    stacks: Annotated[int, Range(1, 256)] = 10
    """number of stacks, each of single numbers"""
    depth: Annotated[int, Range(1, 64)] = 2
    """cells nearest the top of each stack that the hidden units see"""
    hard_actions: bool = False
    """in use, each stack does its likeliest action alone, in place of a mixture of all three"""

    def native_obstacle(self) -> str | None:
        """The native engine takes any size."""
        return None
