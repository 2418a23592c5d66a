"""The Neural GPU of Kaiser & Sutskever (ICLR 2016), section 2, in the paper's own symbols.

    CGRU(s) = u . s + (1 - u) . tanh(U * (r . s) + B)
          u = sigma(U' * s + B')      the update gate
          r = sigma(U'' * s + B'')    the reset gate

A mental image s holds n x w cells of m numbers. Its memory order is (batch, n, w, m), which torch's convolution
takes as "channels last" without a copy. The paper writes the same image as [w, n, m].
"""

import math
from collections.abc import Callable, Mapping
from typing import Self

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from neuralgpu.engine import native
from neuralgpu.engine.compute import Compute
from neuralgpu.models.config import NeuralGPUConfig
from neuralgpu.models.model import TapeModel


class NeuralGPU(TapeModel):
    """Embeds a tape of symbols in a mental image, applies the CGRUs step by step and reads a symbol from every cell.

    The recurrent weights have two leading axes: `sets` (the r sets of parameter sharing relaxation: step t uses
    set t mod r) and the layer. The third axis holds the candidate's U, the update gate's U' and the reset gate's U''.
    """

    config: NeuralGPUConfig

    def __init__(
        self,
        config: NeuralGPUConfig,
        symbols: int,
        seed: int = 0,
        compute: Compute | None = None,
        sets: int = 1,
        scale: float = 1.0,
        gate_bias: float = 1.0,
    ) -> None:
        super().__init__(config, symbols, seed, compute)
        l, m = config.layers, config.maps
        k_w, k_h = config.kernel_width, config.kernel_height
        generator = torch.Generator().manual_seed(seed)

        def uniform(a: float, *shape: int) -> Tensor:
            return torch.empty(shape).uniform_(-a, a, generator=generator)

        def scaled(inputs: int) -> float:
            """The released code's initial range, for a sum over this many inputs."""
            return 1.8 * scale * math.sqrt(3 / inputs)

        self.E = nn.Parameter(uniform(1.7, symbols, m))
        self.embedding = nn.Parameter(uniform(scaled(m), m, m)) if config.tanh_embedding else None
        # All r sets start from the same values; relaxation lets them part.
        self.U = nn.Parameter(uniform(scaled(k_w * k_h * m), l, 3, k_w, k_h, m, m).repeat(sets, 1, 1, 1, 1, 1, 1))
        self.B = nn.Parameter(torch.tensor([0.0, gate_bias, gate_bias]).view(3, 1).repeat(sets, l, 1, m))
        self.O = nn.Parameter(uniform(scaled(m), m, symbols))
        self.to(self.compute.device)

    @classmethod
    def restored(cls, config: NeuralGPUConfig, symbols: int, weights: Mapping[str, Tensor], compute: Compute) -> Self:
        """The model with these weights, which may be those of several sets; a RuntimeError says what does not fit."""
        model = cls(config, symbols, compute=compute, sets=len(weights["U"]) if "U" in weights else 1)
        model.load_state_dict(weights)
        return model

    @property
    def numbers_per_cell(self) -> int:
        """The numbers of a mental image for each cell of the tape."""
        return self.config.width * self.config.maps

    @property
    def sets(self) -> int:
        """r, the number of parameter sets: 1 unless the model is relaxed."""
        return self.U.shape[0]

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
        """Logits l_k (batch, n, symbols) for the tapes i (batch, n), with dropout on the mental image before each step.

        Its gates have no corners, so there is no cost on saturated ones, and neither noise nor levels.
        """
        if noise:
            raise ValueError(f"noise is {noise}; a Neural GPU takes dropout alone")
        s = self.embed(i)
        s = ROLLOUTS[self.compute.engine](
            s,
            self.U,
            self.B,
            steps,
            cutoff=self.config.cutoff,
            dropout=dropout,
            seed=self.draw_seed(generator) if dropout else 0,
            threads=self.compute.threads,
        )
        return self.read(s), s.new_zeros(())

    def embed(self, i: Tensor) -> Tensor:
        """s_0: the embeddings of i (batch, n) in the first column, zeros in the others."""
        i = i.to(self.compute.device)
        column = self.E[i]  # (batch, n, m)
        if self.embedding is not None:
            column = (torch.tanh(column) * (i != 0).unsqueeze(-1)) @ self.embedding
        return F.pad(column.unsqueeze(2), (0, 0, 0, self.config.width - 1))  # (batch, n, w, m)

    def step(self, s: Tensor, t: int) -> Tensor:
        """s_{t+1} = CGRU_l(... CGRU_1(s_t) ...), with parameter set t mod r."""
        return step(s, self.U, self.B, t, self.config.cutoff)

    def advance(self, s: Tensor, t: int, steps: int) -> Tensor:
        """s_{t+steps} from s_t, in one call of the native engine where that computes."""
        if self.compute.engine == "torch":
            return super().advance(s, t, steps)
        turn = t % self.sets  # the kernel's first step uses the first set
        U, B = (weights.roll(-turn, dims=0) if turn else weights for weights in (self.U, self.B))
        return native.cgru_advance(s, U, B, steps, self.config.cutoff, threads=self.compute.threads)

    def gates(self, s: Tensor, t: int) -> tuple[Tensor, Tensor]:
        """The gates u and r of step t from s (batch, n, w, m), each (layers, batch, n, w, m)."""
        i, pairs = t % self.sets, []
        for U, B in zip(self.U[i], self.B[i], strict=True):
            pairs.append(gates(s, U, B, self.config.cutoff))
            s = cgru(s, U, B, self.config.cutoff)
        return torch.stack([u for u, _ in pairs]), torch.stack([r for _, r in pairs])

    def read(self, s: Tensor) -> Tensor:
        """Logits l_k = O s[0, k, :], from the first column of a mental image."""
        return s[:, :, 0] @ self.O  # (batch, n, symbols)

    @torch.no_grad()
    def unify(self) -> None:
        """Replace the r sets of recurrent parameters by one, their mean."""
        self.U = nn.Parameter(self.U.mean(dim=0, keepdim=True))
        self.B = nn.Parameter(self.B.mean(dim=0, keepdim=True))

    @torch.no_grad()
    def average_sets(self) -> None:
        """Set each of the r sets to their mean, and keep them apart."""
        self.U[:] = self.U.mean(dim=0)
        self.B[:] = self.B.mean(dim=0)


def rollout(
    s0: Tensor,
    U: Tensor,
    B: Tensor,
    steps: int,
    *,
    cutoff: bool = True,
    dropout: float = 0.0,
    seed: int = 0,
    threads: int = 1,
) -> Tensor:
    """The mental image after `steps` steps from s0 (batch, n, w, m); the torch form of `native.cgru_rollout`.

    Dropout falls on s_0 .. s_{steps-1}, before each step. Threads are torch's own.
    """
    s, generator = s0, torch.Generator(s0.device).manual_seed(seed)
    for t in range(steps):
        s = step(drop(s, dropout, generator), U, B, t, cutoff)
    return s


def step(s: Tensor, U: Tensor, B: Tensor, t: int, cutoff: bool) -> Tensor:
    """One step from s (batch, n, w, m): all layers in turn, with set t mod r of U (r, l, ...) and B (r, l, ...)."""
    i = t % len(U)
    for layer_U, layer_B in zip(U[i], B[i], strict=True):
        s = cgru(s, layer_U, layer_B, cutoff)
    return s


def cgru(s: Tensor, U: Tensor, B: Tensor, cutoff: bool) -> Tensor:
    """CGRU(s) for s (batch, n, w, m), with U (3, k_w, k_h, m, m) and B (3, m)."""
    u, r = gates(s, U, B, cutoff)
    return u * s + (1 - u) * torch.tanh(convolve(U[0], r * s, B[0]))


def gates(s: Tensor, U: Tensor, B: Tensor, cutoff: bool) -> tuple[Tensor, Tensor]:
    """The update gate u and the reset gate r of CGRU(s)."""
    return sigma(convolve(U[1], s, B[1]), cutoff), sigma(convolve(U[2], s, B[2]), cutoff)


def convolve(U: Tensor, s: Tensor, B: Tensor) -> Tensor:
    """U * s + B: kernel bank U (k_w, k_h, m, m) over s (batch, n, w, m), zeros outside the image."""
    kernel = U.permute(3, 2, 1, 0)  # (to, from, k_h, k_w)
    image = s.permute(0, 3, 1, 2)  # (batch, m, n, w)
    padding = (U.shape[1] // 2, U.shape[0] // 2)
    return F.conv2d(image, kernel, B, padding=padding).permute(0, 2, 3, 1)


def sigma(x: Tensor, cutoff: bool) -> Tensor:
    """The gates' sigmoid; with cutoff max(0, min(1, 1.2 sigma(x) - 0.1))."""
    y = torch.sigmoid(x)
    return (1.2 * y - 0.1).clamp(0, 1) if cutoff else y


def drop(s: Tensor, rate: float, generator: torch.Generator | None) -> Tensor:
    """Zero each number of the mental image with probability `rate` and scale the others up to keep the mean."""
    if rate == 0:
        return s
    keep = torch.empty_like(s).bernoulli_(1 - rate, generator=generator)
    return s * keep / (1 - rate)


ROLLOUTS: dict[str, Callable[..., Tensor]] = {"torch": rollout, "native": native.cgru_rollout}
"""Both engines, with one signature."""
