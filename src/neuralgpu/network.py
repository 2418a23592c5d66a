"""A trained network: a task and the model that learned it, read from a directory and used on text or tapes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from neuralgpu.engine import EngineChoice
from neuralgpu.engine.compute import choose_compute
from neuralgpu.errors import UserError
from neuralgpu.models.model import Model, TapeModel
from neuralgpu.models.registry import restore_model
from neuralgpu.models.slices import Made, reading_marks, states_after
from neuralgpu.models.steps import Steps
from neuralgpu.runs.config import load_config
from neuralgpu.runs.files import load_tensors
from neuralgpu.tasks import Tapes, Task, open_task
from neuralgpu.zoo import find

STATE_BYTES = 4 * 2**20
"""Mental images that are computed together take at most this much; more is slower, since it leaves the cache."""

Progress = Callable[[int, int], None]
"""Told how many steps are done, and how many there are."""


@dataclass(frozen=True)
class Answer:
    """What a network answers, and what it can tell of it."""

    text: str
    settled: bool | None
    """whether the answer stood still; None for a network that makes no more steps than its tape has cells"""


class Network:
    """A model with the task that it was trained on.

    Calling it answers a text, and `answer` tells besides whether the answer settled; `answers` maps tapes to tapes.
    """

    def __init__(self, task: Task, model: Model, steps: Steps | None = None) -> None:
        self.task = task
        self.model = model
        self.steps = steps or Steps()
        self.home: Path | None = None
        """the directory that it was loaded from"""

    def _repr_html_(self) -> str:
        """What a notebook shows: task, size and scores."""
        from neuralgpu.view.notebook import card

        return card(self)

    def __repr__(self) -> str:
        return (
            f"Network({self.task.name!r}, {self.model.config.kind}, {self.parameters:,} parameters, "
            f"engine {self.model.compute.engine})"
        )

    def __call__(self, text: str) -> str:
        """The network's answer to one input; a UserError says what is wrong with a text that is none."""
        return self.task.read(self.answers(self.task.encode(text))[0])

    @property
    def parameters(self) -> int:
        """The numbers that were learned."""
        return sum(weight.numel() for weight in self.model.parameters())

    def answer(self, text: str, progress: Progress | None = None) -> Answer:
        """The answer to one input, and whether it settled."""
        tapes, settled = self.answers_settled(self.task.encode(text), progress)
        return Answer(self.task.read(tapes[0]), None if settled is None else bool(settled[0]))

    def answers(self, tapes: Tapes, progress: Progress | None = None) -> Tapes:
        """The symbols (count, n) that the network leaves on tapes (count, n)."""
        return self.answers_settled(tapes, progress)[0]

    @torch.inference_mode()
    def answers_settled(self, tapes: Tapes, progress: Progress | None = None) -> tuple[Tapes, NDArray[np.bool_] | None]:
        """The symbols (count, n) that the network leaves on tapes (count, n), and which of these settled (count,).

        An answer has settled where the network reads the same symbols after n steps, in the middle of the steps that
        follow, and at the end; None for a network that makes no more than n steps. A long call can be interrupted
        about ten times a second, and tells `progress` then.
        """
        chunk = self.chunk(tapes.shape[1])
        chunks = np.split(tapes, range(chunk, len(tapes), chunk))
        done, steps = 0, len(chunks) * self.total_steps(tapes.shape[1])

        def made(count: int) -> None:
            nonlocal done
            done += count
            if progress:
                progress(done, steps)

        with self.model.compute.torch_threads():
            readings = [
                [scores.argmax(dim=-1).cpu().numpy() for scores in self.readings(torch.from_numpy(part), made)]
                for part in chunks
            ]
        *before, answers = (np.concatenate(parts) for parts in zip(*readings, strict=True))
        return answers, np.all([(reading == answers).all(axis=1) for reading in before], axis=0) if before else None

    def scores(self, tapes: Tensor) -> Tensor:
        """What is maximal at the symbol that the network chooses (count, n, symbols)."""
        return self.readings(tapes)[-1]

    def readings(self, tapes: Tensor, made: Made = lambda steps: None) -> list[Tensor]:
        """The scores at each reading of the answer, of which the last counts; `made` is told of each slice."""
        cells = tapes.shape[1]
        steps = self.steps(cells)
        if isinstance(self.model, TapeModel):
            states = states_after(self.model, tapes, reading_marks(cells, steps), made)
            return [self.model.read(s) for s in states]
        scores: Tensor = self.model(tapes, steps)
        made(steps)
        return [scores]

    def total_steps(self, cells: int) -> int:
        """The steps that are made for tapes of this many cells."""
        return self.steps(cells)

    def chunk(self, length: int) -> int:
        """How many tapes of this length are computed together: at least one for each thread."""
        return max(self.model.compute.threads, STATE_BYTES // (length * self.model.numbers_per_cell * 4))

    def tape_model(self) -> TapeModel:
        """The model as one whose states can be seen; a UserError says so where it is none."""
        if not isinstance(self.model, TapeModel):
            raise UserError(f"a model of kind {self.model.config.kind} has no tape to show; only tape automata have")
        return self.model


class Ensemble(Network):
    """Networks that learned the same task, with their outputs averaged.

    A UserError names networks that differ in their task or tape.
    """

    def __init__(self, networks: Sequence[Network]) -> None:
        super().__init__(networks[0].task, networks[0].model, networks[0].steps)
        self.networks = networks
        for other in networks[1:]:
            if (other.task.name, other.task.tape) != (self.task.name, self.task.tape):
                raise UserError(
                    f"an ensemble needs networks of one task and tape, not {self.task.name} with {self.task.tape} "
                    f"and {other.task.name} with {other.task.tape}"
                )

    def __repr__(self) -> str:
        return f"Ensemble({', '.join(map(repr, self.networks))})"

    def readings(self, tapes: Tensor, made: Made = lambda steps: None) -> list[Tensor]:
        """The means of the networks' probabilities, as often as all of them read their answers."""
        read = [network.readings(tapes, made) for network in self.networks]
        count = min(map(len, read))
        return [
            torch.stack([scores.softmax(dim=-1) for scores in together]).mean(dim=0)
            for together in zip(*(of_one[-count:] for of_one in read), strict=True)
        ]

    def total_steps(self, cells: int) -> int:
        """The steps of all networks together."""
        return sum(network.steps(cells) for network in self.networks)

    def tape_model(self) -> TapeModel:
        """Raises a UserError: each network of an ensemble has states of its own."""
        raise UserError("an ensemble has no states of its own to show; name one of its networks")


def load(
    path: str | Path,
    engine: EngineChoice = "auto",
    threads: int = 0,
    device: str = "cpu",
    *,
    task: Task | None = None,
) -> Network:
    """A shipped network by its name, such as `bmul`, or the one in a directory that holds config.json and
    model.safetensors, such as a run directory.

    Only the network part of config.json is read. `task` stands in for a task that is not one of `ngpu tasks`; without
    it such a network answers all the same, but nobody knows whether it is right. A UserError says what is wrong with
    the files, the engine or the device; 0 threads takes one for each core.
    """
    path = find(path)
    whole = load_config(path / "config.json")
    config = whole.network
    if task and (task.name, task.alphabet) != (config.task, config.alphabet):
        raise UserError(
            f"{path} learned {config.task} over {config.alphabet!r}, not {task.name} over {task.alphabet!r}"
        )
    task = (task or open_task(config.task, config.alphabet)).on(config.tape)
    weights, _ = load_tensors(path / "model.safetensors", whole.network_digest)
    compute = choose_compute(config.model.native_obstacle(), engine, threads, device)
    try:
        model = restore_model(config.model, task.symbols, weights, compute)
    except RuntimeError as error:
        raise UserError(f"{path}: model.safetensors does not fit config.json: {error}") from None
    network = Network(task, model, config.steps)
    network.home = path
    return network
