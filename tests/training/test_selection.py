import torch
from torch import Tensor

from neuralgpu.models.config import DiagonalConfig
from neuralgpu.models.diagonal import Diagonal
from neuralgpu.tasks import Layout, get_task
from neuralgpu.training.selection import COUNT, Selection

LENGTHS = (11, 21, 31)
TASK = get_task("copy").with_layout(Layout(slack=2))


class Copier(Diagonal):
    """A network that copies tapes of up to so many cells."""

    def __init__(self, reach: int) -> None:
        super().__init__(DiagonalConfig(maps=24), TASK.symbols)
        self.reach = reach

    def forward(self, i: Tensor) -> Tensor:
        """The tapes themselves, or nothing but PAD."""
        return torch.eye(TASK.symbols)[i if i.shape[1] <= self.reach else i * 0]


def test_a_length_is_tried_only_after_all_outputs_of_the_shorter_ones_were_exact() -> None:
    selection = Selection(TASK, LENGTHS, seed=0)
    assert [selection.try_out(Copier(reach)) for reach in (12, 13, 23, 33)] == [0, COUNT, 2 * COUNT, 3 * COUNT]
    assert Selection(TASK, (31, 11), seed=0).try_out(Copier(13)) == 0


def test_the_best_is_kept_and_of_equals_the_last() -> None:
    selection = Selection(TASK, LENGTHS, seed=0)
    kept = []
    for reach, mark in ((13, 1.0), (23, 2.0), (23, 3.0), (13, 4.0)):
        model = Copier(reach)
        torch.nn.init.constant_(model.o, mark)
        selection.consider(model)
        kept.append(selection.weights["o"][0].item())
    assert kept == [1, 2, 3, 3]
