"""The cell of the Diagonal Neural GPU (Freivalds & Liepins 2017), in the symbols of models/neural_gpu.py.

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
from torch import Tensor


def rollout(
    s: Tensor,
    U: Tensor,
    B: Tensor,
    steps: int,
    mask: Tensor | None = None,
    dropout: Callable[[int], Tensor] | None = None,
) -> tuple[Tensor, Tensor]:
    """The state after `steps` steps from s (batch, n, m), and the saturation cost on the way.

    U is (3, k, m, m) and B (3, m), both in the order candidate, gate, reset gate. A mask (batch, n) of zeros and ones
    multiplies the state after every step, and what it zeroes counts nothing in the cost. `dropout(t)` gives what the
    candidate of step t is multiplied by. The cost is the sum of all saturations / (n^2 batch).
    """
    cost = s.new_zeros(())
    for t in range(steps):
        s, saturated = diagonal(s, U, B, dropout(t) if dropout else None)
        if mask is not None:
            s, saturated = s * mask.unsqueeze(-1), saturated * mask
        cost = cost + saturated.sum()
    return s, cost / (s.shape[1] ** 2 * s.shape[0])


def diagonal(s: Tensor, U: Tensor, B: Tensor, dropout: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """One step from s (batch, n, m): the next state, and the saturation of each cell (batch, n)."""
    g = convolve(U[1], s, B[1]) + 0.7
    r = convolve(U[2], s, B[2]) + 0.5
    c = convolve(U[0], hsig(r) * s, B[0])
    candidate = htanh(c) if dropout is None else htanh(c) * dropout
    s = hsig(g) * shift(s) + (1 - hsig(g)) * candidate
    return s, sum((saturation(x) for x in (c, g, r)), torch.zeros(())).sum(dim=-1)


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
