"""Selection: of the networks that a training passes through, the one that does best on longer inputs.

A network that makes no error at the training lengths may make many or none at greater ones, which changes from step to
step. These inputs have a random stream of their own: none of them is ever trained on or scored in an evaluation.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from neuralgpu.models.registry import Model
from neuralgpu.streams import Stream, stream
from neuralgpu.tasks import Task
from neuralgpu.tasks.digits import Mixture

COUNT = 32
"""Inputs of each length."""
MIXTURE = Mixture(structured=0.3, uneven=0.5)


class Selection:
    """The best network so far."""

    def __init__(self, task: Task, lengths: Sequence[int], seed: int) -> None:
        self.task, self.lengths, self.seed = task, lengths, seed
        self.score = -1
        self.weights: dict[str, Tensor] = {}

    def consider(self, model: Model) -> None:
        """Keep the weights of a network that does as well as the best one."""
        score = self.try_out(model)
        if score >= self.score:
            self.score = score
            self.weights = {name: tensor.clone() for name, tensor in model.state_dict().items()}

    @torch.no_grad()
    def try_out(self, model: Model) -> int:
        """Exact outputs; a length is tried only where all outputs of those before it were exact."""
        exact = 0
        for done, length in enumerate(self.lengths):
            if exact < done * COUNT:
                break
            exact += self.exact_outputs(model, length)
        return exact

    def exact_outputs(self, model: Model, length: int) -> int:
        """How many of the inputs of one length have exact outputs."""
        rng = stream(self.seed, Stream.SELECTION, length)
        inputs, targets = self.task.sample(rng, COUNT, self.task.largest_size(length), MIXTURE)
        outputs = model(torch.from_numpy(inputs)).argmax(dim=-1)
        return int((outputs == torch.from_numpy(targets)).all(dim=1).sum())
