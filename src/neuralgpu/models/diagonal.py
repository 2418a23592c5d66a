"""The Diagonal Neural GPU (Freivalds & Liepins 2017), in the symbols of models/neural_gpu.py.

    s' = g . shift(s) + (1 - g) . c
    c  = htanh(U * (r . s) + B)             the candidate
    g  = hsig(U' * s + B' + 0.7)            the gate
    r  = hsig(U'' * s + B'' + 0.5)          the reset gate

A state s (batch, n, m) has one cell of m numbers for each cell of the tape. `shift` leaves a third of the maps in
place and moves a third one cell up the tape and a third one cell down: the gate can carry a number diagonally.
"""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from neuralgpu.engine import native
from neuralgpu.engine.compute import Compute
from neuralgpu.models.config import DiagonalConfig
from neuralgpu.models.model import TapeModel

SPARSE_BELOW = 1 / 3
"""Where a smaller share of the kernels' weights is not zero, the native engine is faster without the others."""


class Diagonal(TapeModel):
    """Embeds a tape of symbols in a state, applies the cell step by step and reads a symbol from every cell.

    The configuration's `levels`, where it is not 0, round every state to multiples of 1/levels.
    """

    config: DiagonalConfig

    def __init__(self, config: DiagonalConfig, symbols: int, seed: int = 0, compute: Compute | None = None) -> None:
        super().__init__(config, symbols, seed, compute)
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
        self.to(self.compute.device)

    @property
    def numbers_per_cell(self) -> int:
        """The numbers of a state for each cell of the tape."""
        return self.config.maps

    @property
    def kept_weights(self) -> float:
        """The share of the kernels' weights that are not zero."""
        return self.U.count_nonzero().item() / self.U.numel()

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
        """Logits (batch, n, symbols) for the tapes i (batch, n), and the saturation cost.

        Dropout falls on candidates and noise on pre-activations.
        """
        s, cost = ROLLOUTS[self.compute.engine](
            self.embed(i),
            self.U,
            self.B,
            steps,
            dropout=dropout,
            noise=noise,
            levels=self.config.levels if rounded else 0,
            seed=self.draw_seed(generator) if dropout or noise else 0,
            threads=self.compute.threads,
            sparse=(zeros_stay or not torch.is_grad_enabled()) and self.kept_weights < SPARSE_BELOW,
        )
        return self.read(s), cost

    def step(self, s: Tensor, t: int) -> Tensor:
        """s_{t+1} from s_t (batch, n, m); every step is the same."""
        return round_to(diagonal(s, self.U, self.B)[0], self.config.levels)

    def advance(self, s: Tensor, t: int, steps: int) -> Tensor:
        """s_{t+steps} from s_t, in one call of the native engine where that computes."""
        if self.compute.engine == "torch":
            return super().advance(s, t, steps)
        threads, sparse = self.compute.threads, self.kept_weights < SPARSE_BELOW
        return native.diagonal_advance(s, self.U, self.B, steps, self.config.levels, threads=threads, sparse=sparse)

    def embed(self, i: Tensor) -> Tensor:
        """s_0 (batch, n, m): the embeddings of i (batch, n)."""
        return htanh(self.E[i.to(self.compute.device)] + self.e)

    def gates(self, s: Tensor, t: int) -> tuple[Tensor, Tensor]:
        """The gate g and the reset gate r of any step t from s (batch, n, m), each (1, batch, n, m)."""
        g, r = gates(s, self.U, self.B)
        return hsig(g).unsqueeze(0), hsig(r).unsqueeze(0)

    def read(self, s: Tensor) -> Tensor:
        """Logits (batch, n, symbols), from a state."""
        return s @ self.O + self.o


def rollout(
    s0: Tensor,
    U: Tensor,
    B: Tensor,
    steps: int,
    *,
    dropout: float = 0.0,
    noise: float = 0.0,
    levels: int = 0,
    seed: int = 0,
    threads: int = 1,
    sparse: bool = False,
) -> tuple[Tensor, Tensor]:
    """The state after `steps` steps from s0 (batch, n, m), and the saturation cost on the way.

    The torch form of `native.diagonal_rollout`: U is (3, k, m, m) and B (3, m), both in the order candidate, gate,
    reset gate. Dropout falls on the candidate of every step and uniform noise up to +-`noise` on every pre-activation.
    States are rounded to multiples of 1/`levels` where that is not 0. The cost is the sum of all saturations / (n
    steps batch). Threads are torch's own, and zeros are multiplied like any other weight.
    """
    s, generator = s0, torch.Generator(s0.device).manual_seed(seed)
    cost = s.new_zeros(())
    for _ in range(steps):
        factors = s.new_empty(s.shape).bernoulli_(1 - dropout, generator=generator) / (1 - dropout) if dropout else None
        added = s.new_empty(3, *s.shape).uniform_(-noise, noise, generator=generator) if noise else None
        s, saturated = diagonal(s, U, B, factors, added)
        s = round_to(s, levels)
        cost = cost + saturated.sum()
    return s, cost / (s.shape[1] * max(steps, 1) * s.shape[0])


def round_to(s: Tensor, levels: int) -> Tensor:
    """Multiples of 1/`levels`, where that is not 0; gradients pass as if nothing were rounded."""
    return s + ((s * levels).round() / levels - s).detach() if levels else s


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


ROLLOUTS: dict[str, Callable[..., tuple[Tensor, Tensor]]] = {"torch": rollout, "native": native.diagonal_rollout}
"""Both engines, with one signature."""
