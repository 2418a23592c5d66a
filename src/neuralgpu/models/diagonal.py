"""The Diagonal Neural GPU (Freivalds & Liepins 2017), in the symbols of models/neural_gpu.py.

    s' = g . shift(s) + (1 - g) . c
    c  = htanh(U * (r . s) + B)             the candidate
    g  = hsig(U' * s + B' + 0.7)            the gate
    r  = hsig(U'' * s + B'' + 0.5)          the reset gate

A state s (batch, n, m) has one cell of m numbers for each cell of the tape. `shift` leaves a third of the maps in
place and moves a third one cell up the tape and a third one cell down: the gate can carry a number diagonally.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from neuralgpu.engine import Engine, native
from neuralgpu.models.config import DiagonalConfig

SPARSE_BELOW = 1 / 3
"""Where a smaller share of the kernels' weights is not zero, the native engine is faster without the others."""


class Diagonal(nn.Module):
    """Embeds a tape of symbols in a state, applies the cell n times and reads a symbol from every cell of the state.

    The configuration's `levels`, where it is not 0, round every state to multiples of 1/levels.
    """

    def __init__(self, config: DiagonalConfig, symbols: int, seed: int = 0) -> None:
        super().__init__()
        self.config = config
        self.engine: Engine = "torch"
        self.threads: int | None = None  # of the native engine; None: as many as torch has
        k, m = config.kernel, config.maps
        generator = torch.Generator().manual_seed(seed)

        def uniform(a: float, *shape: int) -> nn.Parameter:
            return nn.Parameter(torch.empty(shape).uniform_(-a, a, generator=generator))

        self.E = uniform(3 / m**0.5, symbols, m)
        self.e = nn.Parameter(torch.zeros(m))
        self.U = uniform(1 / m**0.5, 3, k, m, m)
        self.B = nn.Parameter(torch.zeros(3, m))
        self.O = uniform(1 / m**0.5, m, symbols)
        self.o = nn.Parameter(torch.zeros(symbols))

    @property
    def numbers_per_cell(self) -> int:
        """The numbers of a state for each cell of the tape."""
        return self.config.maps

    @property
    def kept_weights(self) -> float:
        """The share of the kernels' weights that are not zero."""
        return self.U.count_nonzero().item() / self.U.numel()

    def native_obstacle(self) -> str | None:
        """Why the native engine cannot run this model, None where it can: a third of its maps fills vectors."""
        m = self.config.maps
        return f"maps is {m} and must be a multiple of 24" if m % 24 else None

    def forward(self, i: Tensor) -> Tensor:
        """Logits (batch, n, symbols) for the tapes i (batch, n), after n steps."""
        return self.run(i)[0]

    def run(
        self,
        i: Tensor,
        dropout: float = 0.0,
        noise: float = 0.0,
        generator: torch.Generator | None = None,
        rounded: bool = True,
        pruned: bool = False,
    ) -> tuple[Tensor, Tensor]:
        """Logits as of `forward`, and the saturation cost; with dropout on candidates and noise on pre-activations.

        `pruned` says that kernels' weights that are zero stay zero, so that nobody needs their gradients.
        """
        s, n = self.embed(i), i.shape[1]
        levels = self.config.levels if rounded else 0
        if self.engine == "native":
            seed = int(torch.randint(2**62, (), generator=generator)) if dropout or noise else 0
            sparse = (pruned or not torch.is_grad_enabled()) and self.kept_weights < SPARSE_BELOW
            s, cost = native.diagonal_rollout(
                s, self.U, self.B, n, dropout, seed, None, self.threads, noise=noise, levels=levels, sparse=sparse
            )
        else:

            def factors(t: int) -> Tensor:
                return torch.empty_like(s).bernoulli_(1 - dropout, generator=generator) / (1 - dropout)

            def uniform(t: int) -> Tensor:
                return s.new_empty(3, *s.shape).uniform_(-noise, noise, generator=generator)

            s, cost = rollout(
                s,
                self.U,
                self.B,
                n,
                dropout=factors if dropout else None,
                noise=uniform if noise else None,
                levels=levels,
            )
        return self.read(s), cost

    def trace(self, i: Tensor) -> Iterator[Tensor]:
        """Every state s_0, s_1 ... s_n, each (batch, n, m)."""
        s = self.embed(i)
        yield s
        for _ in range(i.shape[1]):
            s, _cost = rollout(s, self.U, self.B, 1, levels=self.config.levels)
            yield s

    def embed(self, i: Tensor) -> Tensor:
        """s_0 (batch, n, m): the embeddings of i (batch, n)."""
        return htanh(self.E[i] + self.e)

    def gates(self, s: Tensor, t: int) -> tuple[Tensor, Tensor]:
        """The gate g and the reset gate r of any step t from s (batch, n, m), each (1, batch, n, m)."""
        g, r = gates(s, self.U, self.B)
        return hsig(g).unsqueeze(0), hsig(r).unsqueeze(0)

    def read(self, s: Tensor) -> Tensor:
        """Logits (batch, n, symbols), from a state."""
        return s @ self.O + self.o


@torch.no_grad()
def side_by_side(models: Sequence[Diagonal]) -> Diagonal:
    """One network made of several: its maps are those of all, which do not touch, and its logits are their mean."""
    config, symbols = models[0].config, len(models[0].E)
    joined = Diagonal(replace(config, maps=sum(model.config.maps for model in models)), symbols)
    for parameter in joined.parameters():
        parameter.zero_()
    third, start = joined.config.maps // 3, 0
    for model in models:
        size = model.config.maps // 3
        own = (torch.arange(3)[:, None] * third + start + torch.arange(size)).flatten()  # the places of its maps
        joined.E[:, own], joined.e[own], joined.B[:, own] = model.E, model.e, model.B
        joined.U[:, :, own[:, None], own] = model.U
        joined.O[own] = model.O / len(models)
        joined.o.add_(model.o / len(models))
        start += size
    return joined


def rollout(
    s: Tensor,
    U: Tensor,
    B: Tensor,
    steps: int,
    mask: Tensor | None = None,
    dropout: Callable[[int], Tensor] | None = None,
    noise: Callable[[int], Tensor] | None = None,
    levels: int = 0,
) -> tuple[Tensor, Tensor]:
    """The state after `steps` steps from s (batch, n, m), and the saturation cost on the way.

    U is (3, k, m, m) and B (3, m), both in the order candidate, gate, reset gate. A mask (batch, n) of zeros and ones
    multiplies the state after every step, and what it zeroes counts nothing in the cost. `dropout(t)` gives what the
    candidate of step t is multiplied by, and `noise(t)` (3, batch, n, m) what is added to its pre-activations. States
    are rounded to multiples of 1/`levels` where that is not 0. Gradients pass the rounding as if it were not there. The
    cost is the sum of all saturations / (n^2 batch).
    """
    cost = s.new_zeros(())
    for t in range(steps):
        s, saturated = diagonal(s, U, B, dropout(t) if dropout else None, noise(t) if noise else None)
        if levels:
            s = s + ((s * levels).round() / levels - s).detach()
        if mask is not None:
            s, saturated = s * mask.unsqueeze(-1), saturated * mask
        cost = cost + saturated.sum()
    return s, cost / (s.shape[1] ** 2 * s.shape[0])


def diagonal(
    s: Tensor, U: Tensor, B: Tensor, dropout: Tensor | None = None, noise: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """One step from s (batch, n, m): the next state, and the saturation of each cell (batch, n)."""
    noise_c, noise_g, noise_r = (0.0, 0.0, 0.0) if noise is None else noise
    g, r = gates(s, U, B)
    g, r = g + noise_g, r + noise_r
    c = convolve(U[0], hsig(r) * s, B[0]) + noise_c
    candidate = htanh(c) if dropout is None else htanh(c) * dropout
    s = hsig(g) * shift(s) + (1 - hsig(g)) * candidate
    return s, (saturation(c) + saturation(g) + saturation(r)).sum(dim=-1)


def gates(s: Tensor, U: Tensor, B: Tensor) -> tuple[Tensor, Tensor]:
    """What the hard sigmoid makes the gate g and the reset gate r of."""
    return convolve(U[1], s, B[1]) + 0.7, convolve(U[2], s, B[2]) + 0.5


def convolve(U: Tensor, s: Tensor, B: Tensor) -> Tensor:
    """U * s + B: kernel bank U (k, m, m) along the tape of s (batch, n, m), zeros outside.

    One product with the taps side by side, which on the CPU takes less time than conv1d.
    """
    k, n = U.shape[0], s.shape[1]
    padded = F.pad(s, (0, 0, k // 2, k // 2))
    taps = torch.cat([padded[:, v : v + n] for v in range(k)], dim=-1)  # (batch, n, k * m)
    return taps @ U.flatten(0, 1) + B


def shift(s: Tensor) -> Tensor:
    """The first third of the maps as it is, the second moved by +1 along the tape, the last by -1."""
    stay, up, down = s.chunk(3, dim=-1)
    return torch.cat((stay, F.pad(up[:, :-1], (0, 0, 1, 0)), F.pad(down[:, 1:], (0, 0, 0, 1))), dim=-1)


def hsig(x: Tensor) -> Tensor:
    """The hard sigmoid: x/2 + 1/2 cut to [0, 1]."""
    return (0.5 * x + 0.5).clamp(0, 1)


def htanh(x: Tensor) -> Tensor:
    """The hard tanh: x cut to [-1, 1]."""
    return x.clamp(-1, 1)


def saturation(x: Tensor) -> Tensor:
    """How far a pre-activation lies beyond 0.9, where the hard nonlinearities are about to become flat."""
    return F.relu(x.abs() - 0.9)
