"""What a model is to the rest of the house, and what only models that compute on a tape have."""

from collections.abc import Iterator, Mapping
from typing import Any, Self

import torch
from torch import Tensor, nn

from neuralgpu.engine.compute import Compute
from neuralgpu.models.config import ModelConfig


class Model(nn.Module):
    """Maps tapes of symbols to scores of symbols.

    A model is built from its configuration, the number of symbols (PAD included) and what computes it. How it gets from
    a tape to its answer is its own affair: an automaton changes the whole tape in each step, a decoder emits one symbol
    after the other.
    """

    config: ModelConfig

    def __init__(self, config: Any, symbols: int, seed: int = 0, compute: Compute | None = None) -> None:
        super().__init__()
        self.config = config
        self.symbols = symbols
        self.compute = compute or Compute()

    def forward(self, i: Tensor, steps: int) -> Tensor:
        """Scores (batch, n, symbols) for the tapes i (batch, n), the highest at the symbol that the model chooses.

        `steps` is the number of steps that a tape automaton makes.
        """
        raise NotImplementedError

    @classmethod
    def restored(cls, config: Any, symbols: int, weights: Mapping[str, Tensor], compute: Compute) -> Self:
        """The model with these weights; a RuntimeError says what does not fit."""
        model = cls(config, symbols, compute=compute)
        model.load_state_dict(weights)
        return model

    @property
    def numbers_per_cell(self) -> int:
        """The numbers that the model holds for each cell of a tape, which decide how many tapes fit the cache."""
        return 1


class TapeModel(Model):
    """An automaton: it embeds a tape in a state with a place for each cell, and changes the state step by step."""

    U: nn.Parameter
    """the kernel banks of its recurrent step"""

    def embed(self, i: Tensor) -> Tensor:
        """The state s_0 (batch, n, ...) of the tapes i (batch, n)."""
        raise NotImplementedError

    def step(self, s: Tensor, t: int) -> Tensor:
        """s_{t+1} from s_t."""
        raise NotImplementedError

    def advance(self, s: Tensor, t: int, steps: int) -> Tensor:
        """s_{t+steps} from s_t, without anything that disturbs it."""
        for k in range(t, t + steps):
            s = self.step(s, k)
        return s

    def read(self, s: Tensor) -> Tensor:
        """Scores (batch, n, symbols) of a state."""
        raise NotImplementedError

    def gates(self, s: Tensor, t: int) -> tuple[Tensor, Tensor]:
        """How much of its numbers step t keeps of s, and how much its candidate sees, each (layers, batch, n, ...)."""
        raise NotImplementedError

    def run(
        self,
        i: Tensor,
        steps: int,
        *,
        dropout: float = 0.0,
        noise: float = 0.0,
        generator: torch.Generator | None = None,
        rounded: bool = True,
        zeros_stay: bool = False,
    ) -> tuple[Tensor, Tensor]:
        """Scores as of `forward`, and the cost of saturated gates; with what training disturbs it by.

        `rounded` is False where states are to be left as they are although the configuration has levels. `zeros_stay`
        says that kernels' weights that are zero will stay zero, so that nobody needs their gradients.
        """
        raise NotImplementedError

    def forward(self, i: Tensor, steps: int) -> Tensor:
        """Scores (batch, n, symbols) for the tapes i (batch, n) after this many steps."""
        return self.run(i, steps)[0]

    def trace(self, i: Tensor, steps: int) -> Iterator[Tensor]:
        """Every state s_0, s_1 ... of the tapes i (batch, n)."""
        s = self.embed(i)
        yield s
        for t in range(steps):
            s = self.step(s, t)
            yield s

    @property
    def maps(self) -> int:
        """m, the numbers of one cell of the state."""
        return int(self.config.maps)  # type: ignore[attr-defined]  # every tape model has maps

    def draw_seed(self, generator: torch.Generator | None) -> int:
        """The seed of a rollout's dropout and noise."""
        return int(torch.randint(2**62, (), generator=generator))
