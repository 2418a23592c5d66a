"""Every state of every step as arrays."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from neuralgpu.errors import UserError
from neuralgpu.network import Network, load
from neuralgpu.tasks import Task

Floats = NDArray[np.float32]
Symbols = NDArray[np.int64]

MOST_BYTES = 8 * 2**30
"""Of states that are held at once."""


@dataclass(frozen=True)
class Trace:
    """What a network did with one input, from the embedded tape to the last step."""

    text: str
    states: Floats
    """(steps + 1, n, w, m): the mental images s_0, s_1 ...; w is 1 for a Diagonal Neural GPU"""
    answers: Symbols
    """(steps + 1, n): the symbol that would be read from each cell after each step"""
    target: Symbols | None
    """(n,): the tape that the network should leave; None where the true answer is not known"""
    update: Floats | None = None
    """(steps, layers, n, w, m): how much of a number each step keeps, u of the CGRU and g of the Diagonal cell"""
    reset: Floats | None = None
    """(steps, layers, n, w, m): how much of a number the candidate sees, r of both cells"""
    task: Task | None = None
    """what the network learned, which a picture needs"""

    def _repr_png_(self) -> bytes | None:
        from neuralgpu.view.notebook import still

        return still(self)

    def _repr_html_(self) -> str | None:
        from neuralgpu.view.notebook import film

        return film(self)

    @property
    def steps(self) -> int:
        """How often the network changed its image."""
        return len(self.states) - 1

    @property
    def wrong(self) -> NDArray[np.bool_]:
        """(steps + 1, n): whether the symbol of a cell is known to differ from the one that should be left there."""
        if self.target is None:
            return np.zeros(self.answers.shape, dtype=np.bool_)
        wrong: NDArray[np.bool_] = self.answers != self.target
        return wrong


@torch.inference_mode()
def trace(
    network: Network | str | Path,
    text: str,
    gates: bool = False,
    progress: Callable[[int], None] = lambda step: None,
) -> Trace:
    """What a network, given as such or by what `load` takes, does with an input; its gates too on request.

    All states are held at once: 400 cells with 96 numbers each take 62 MB, and the gates of one layer twice that. The
    models' own `trace` yields the same states one at a time. `progress` is told each step that is done. A UserError
    says what is wrong with the network or the text, or that the network is one without states to see.
    """
    if not isinstance(network, Network):
        network = load(network)
    model, task = network.tape_model(), network.task
    tape = torch.from_numpy(task.encode(text))
    n, m = tape.shape[1], model.maps
    steps = network.steps(n)
    needed = 4 * (steps + 1) * n * model.numbers_per_cell * (3 if gates else 1)
    if needed > MOST_BYTES:
        raise UserError(
            f"{n} cells and {steps} steps have {needed / 2**30:.1f} GiB of states, and at most "
            f"{MOST_BYTES / 2**30:g} are kept; give a shorter input"
        )
    cells = (n, model.numbers_per_cell // m, m)  # (n, w, m)
    states, answers, updates, resets = [], [], [], []
    for t, s in enumerate(model.trace(tape, steps)):
        states.append(s.view(cells).cpu().numpy())
        answers.append(model.read(s)[0].argmax(dim=-1).cpu().numpy())
        if gates and t < steps:  # no step leads on from the last state
            update, reset = model.gates(s, t)
            updates.append(update.view(-1, *cells).cpu().numpy())
            resets.append(reset.view(-1, *cells).cpu().numpy())
        progress(t)
    return Trace(
        text=text,
        states=np.stack(states),
        answers=np.stack(answers),
        target=None if task.answer(text) is None else task.encode_answer(text)[0],
        update=np.stack(updates) if gates else None,
        reset=np.stack(resets) if gates else None,
        task=task,
    )
