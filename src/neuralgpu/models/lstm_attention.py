"""LSTM+A, the paper's baseline: an encoder and a decoder of LSTM layers with attention between them.

    u_i = v . tanh(W1 h_i + W2 d_t)     h_i: the encoder's output at cell i; d_t: the decoder's
    a   = softmax(u)
    c_t = sum_i a_i h_i                 the context
    [d_t; c_t] predicts the symbol of cell t, and goes into the decoder's next step beside that symbol

This is the model of Vinyals et al., "Grammar as a Foreign Language" (2015). The first PAD written ends an answer.
"""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from neuralgpu.engine.compute import Compute
from neuralgpu.models.baseline_config import LSTMAttentionConfig
from neuralgpu.models.model import Model

PAD = 0
States = list[tuple[Tensor, Tensor]]
"""h and c of each layer, (batch, cells)."""


class LSTMAttention(Model):
    """Reads a tape cell by cell, then writes its answer symbol by symbol and feeds each of them back."""

    config: LSTMAttentionConfig

    def __init__(
        self, config: LSTMAttentionConfig, symbols: int, seed: int = 0, compute: Compute | None = None
    ) -> None:
        super().__init__(config, symbols, seed, compute)
        m = config.cells
        self.E = nn.Parameter(torch.empty(symbols, m))  # the encoder's embedding
        self.F = nn.Parameter(torch.empty(symbols + 1, m))  # the decoder's; its last row begins an answer
        self.encoder = nn.ModuleList(nn.LSTM(m, m, batch_first=True) for _ in range(config.layers))
        self.decoder = nn.ModuleList(nn.LSTMCell(m if layer else 3 * m, m) for layer in range(config.layers))
        self.W1 = nn.Parameter(torch.empty(m, m))
        self.W2 = nn.Parameter(torch.empty(m, m))
        self.v = nn.Parameter(torch.empty(m))
        self.O = nn.Parameter(torch.empty(2 * m, symbols))
        self._draw(torch.Generator().manual_seed(seed))
        self.to(self.compute.device)

    @torch.no_grad()
    def _draw(self, generator: torch.Generator) -> None:
        """Initial weights: embeddings uniform up to 1, others up to 1 / sqrt(cells); forget gates begin open."""
        m = self.config.cells
        for name, weight in self.named_parameters():
            a = 1.0 if name in ("E", "F") else 1 / math.sqrt(m)
            weight.uniform_(-a, a, generator=generator)
            if "bias" in name:
                weight.zero_()
            if "bias_ih" in name:
                weight[m : 2 * m] = 1.0

    @property
    def numbers_per_cell(self) -> int:
        """What the encoder keeps of each cell."""
        return self.config.cells

    def forward(self, i: Tensor, steps: int) -> Tensor:
        """Scores (batch, n, symbols) of what it writes on its own, PAD after the end; `steps` is not looked at."""
        i = i.to(self.compute.device)
        batch, n = i.shape
        H, states = self.encode(i)
        keys, context = H @ self.W1, H.new_zeros(batch, self.config.cells)
        scores = F.one_hot(torch.full((batch, n), PAD, device=i.device), self.symbols).to(H.dtype)
        symbol = torch.full((batch,), self.symbols, device=i.device)
        writing = torch.ones(batch, dtype=torch.bool, device=i.device)
        for t in range(n):
            out, context, states = self.decode(symbol, context, states, H, keys)
            scores[writing, t] = (out @ self.O)[writing]
            symbol = scores[:, t].argmax(dim=1)
            writing = writing & (symbol != PAD)
            if not writing.any():
                break
        return scores

    def taught(
        self, i: Tensor, targets: Tensor, dropout: float = 0.0, generator: torch.Generator | None = None
    ) -> Tensor:
        """Logits (batch, t, symbols) where each symbol of targets (batch, t) is fed in place of what it would write."""
        i, targets = i.to(self.compute.device), targets.to(self.compute.device)
        H, states = self.encode(i, dropout, generator)
        keys, context = H @ self.W1, H.new_zeros(len(i), self.config.cells)
        fed = F.pad(targets[:, :-1], (1, 0), value=self.symbols)
        outs = []
        for symbol in fed.T:
            out, context, states = self.decode(symbol, context, states, H, keys, dropout, generator)
            outs.append(out)
        return drop(torch.stack(outs, dim=1), dropout, generator) @ self.O

    def encode(
        self, i: Tensor, dropout: float = 0.0, generator: torch.Generator | None = None
    ) -> tuple[Tensor, States]:
        """H (batch, n, cells), the outputs of the last layer, and the states that the decoder begins with."""
        x, states = self.E[i], []
        for lstm in self.encoder:
            x, (h, c) = lstm(drop(x, dropout, generator))
            states.append((h[0], c[0]))
        return x, states

    def decode(
        self,
        symbol: Tensor,
        context: Tensor,
        states: States,
        H: Tensor,
        keys: Tensor,
        dropout: float = 0.0,
        generator: torch.Generator | None = None,
    ) -> tuple[Tensor, Tensor, States]:
        """[d_t; c_t] (batch, 2 cells), c_t and the states of step t, from the symbol before it; `keys` are H W1."""
        x, after = torch.cat([self.F[symbol], states[-1][0], context], dim=1), []
        for cell, state in zip(self.decoder, states, strict=True):
            after.append(cell(drop(x, dropout, generator), state))
            x = after[-1][0]
        u = torch.tanh(keys + (x @ self.W2).unsqueeze(1)) @ self.v  # (batch, n)
        context = torch.bmm(u.softmax(dim=1).unsqueeze(1), H).squeeze(1)
        return torch.cat([x, context], dim=1), context, after


def drop(x: Tensor, rate: float, generator: torch.Generator | None) -> Tensor:
    """Zero each number with probability `rate` and scale the others up to keep the mean."""
    if rate == 0:
        return x
    return x * torch.empty_like(x).bernoulli_(1 - rate, generator=generator) / (1 - rate)
