"""The stack-RNN of Joulin & Mikolov, "Inferring Algorithmic Patterns with Stack-Augmented Recurrent Nets" (2015).

    h_t = sigma(U x_t + sum_s P_s [the cells nearest the top of S_s])     S before step t
    push, pop, stay = softmax(A_s h_t)
    S_s[0] = push sigma(D_s h_t) + pop S_s[1] + stay S_s[0]
    S_s[i] = push S_s[i-1]       + pop S_s[i+1] + stay S_s[i]
    y_t = softmax(V h_t)

It has no memory but its stacks, whose empty cells are -1. It reads a text symbol by symbol and predicts each next one.
How a tape becomes such a text is in models/sum_text.py.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from neuralgpu.engine import stack
from neuralgpu.engine.compute import Compute
from neuralgpu.models.baseline_config import StackRNNConfig
from neuralgpu.models.model import Model
from neuralgpu.models.sum_text import SumText

EMPTY = -1.0


class StackRNN(Model):
    """Reads the addition on a tape in its authors' text format and writes the sum, feeding itself what it wrote."""

    config: StackRNNConfig

    def __init__(
        self,
        config: StackRNNConfig,
        symbols: int,
        seed: int = 0,
        compute: Compute | None = None,
        scale: float = 0.1,
    ) -> None:
        super().__init__(config, symbols, seed, compute)
        self.text = SumText(symbols)
        hidden, stacks, vocabulary = config.hidden, config.stacks, self.text.vocabulary
        generator = torch.Generator().manual_seed(seed)

        def initial(*shape: int) -> nn.Parameter:
            """Sums of three uniform numbers up to +-scale, as the authors begin."""
            return nn.Parameter(torch.empty(3, *shape).uniform_(-scale, scale, generator=generator).sum(dim=0))

        self.U = initial(vocabulary, hidden)
        self.P = initial(stacks, config.depth, hidden)
        self.A = initial(3, stacks, hidden)
        self.D = initial(stacks, hidden)
        self.V = initial(vocabulary, hidden)
        self.to(self.compute.device)

    @property
    def weights(self) -> tuple[Tensor, ...]:
        """U, P, A, D, V as the native engine takes them."""
        return tuple(weight.detach() for weight in (self.U, self.P, self.A, self.D, self.V))

    @property
    def numbers_per_cell(self) -> int:
        """A stack has a cell for each symbol that was read or written, about as many as the tape has."""
        return 2 * self.config.stacks

    def forward(self, i: Tensor, steps: int) -> Tensor:
        """Scores (batch, n, symbols) that are 1 at the symbol written and 0 elsewhere; `steps` is not looked at."""
        questions, lengths = self.text.questions(i.cpu().numpy())
        most, choices, hard = i.shape[1], self.symbols, self.config.hard_actions
        if self.compute.engine == "native":
            answers = stack.answer(self.weights, questions, lengths, most, choices, hard=hard)
        else:
            answers = self.answer(torch.from_numpy(questions), torch.from_numpy(lengths), most, choices).numpy()
        return F.one_hot(torch.from_numpy(answers), self.symbols).float().to(i.device)

    def empty_stacks(self, batch: int, capacity: int) -> Tensor:
        """S (batch, stacks, capacity) with nothing on it."""
        return self.U.new_full((batch, self.config.stacks, capacity), EMPTY)

    def step(self, x: Tensor, S: Tensor, hard: bool = False) -> tuple[Tensor, Tensor]:
        """Logits (batch, vocabulary) after the symbols x (batch), and the stacks (batch, stacks, capacity) then."""
        h = torch.sigmoid(self.U[x] + torch.einsum("bsi,sih->bh", S[:, :, : self.config.depth], self.P))
        actions = torch.einsum("bh,ash->abs", h, self.A).softmax(dim=0)
        if hard:
            actions = F.one_hot(actions.argmax(dim=0), 3).permute(2, 0, 1).to(S.dtype)
        push, pop, stay = actions.unsqueeze(-1)
        value = torch.sigmoid(h @ self.D.T).unsqueeze(-1)  # (batch, stacks, 1)
        lower = torch.cat([value, S[:, :, :-1]], dim=2)
        higher = F.pad(S[:, :, 1:], (0, 1), value=EMPTY)
        return h @ self.V.T, push * lower + pop * higher + stay * S

    def read(self, texts: Tensor) -> Tensor:
        """Logits (batch, t, vocabulary) of the symbol that follows each of texts (batch, t)."""
        S, logits = self.empty_stacks(len(texts), texts.shape[1] + self.config.depth), []
        for x in texts.T:
            y, S = self.step(x, S)
            logits.append(y)
        return torch.stack(logits, dim=1)

    def answer(self, questions: Tensor, lengths: Tensor, most: int, choices: int) -> Tensor:
        """The torch form of `engine.stack.answer`."""
        questions, lengths = questions.to(self.U.device), lengths.to(self.U.device)
        batch, longest = questions.shape
        S = self.empty_stacks(batch, longest + most + self.config.depth)
        answers = torch.zeros(batch, most, dtype=torch.int64, device=self.U.device)
        rows, x, ended = torch.arange(batch, device=S.device), questions[:, 0], lengths < 0
        for t in range(longest + most - 1):
            y, S = self.step(x, S, self.config.hard_actions)
            written = t + 1 - lengths  # the place in the answer, of those that have one
            chosen = y[:, :choices].argmax(dim=1)
            writing = (written >= 0) & (written < most) & ~ended
            answers[rows[writing], written[writing]] = chosen[writing]
            ended |= (writing & (chosen == 0)) | (written == most - 1)
            if ended.all():
                break
            x = torch.where(written < 0, questions[:, min(t + 1, longest - 1)], chosen)
        return answers.cpu()
