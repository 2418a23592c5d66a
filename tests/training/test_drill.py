from collections.abc import Sequence

import numpy as np

from neuralgpu.tasks import Batch
from neuralgpu.training.drill import KEPT, Drill


def taught(losses: Sequence[float]) -> Drill:
    """A drill of examples whose tapes tell their loss."""
    drill = Drill.empty(3)
    tapes = np.repeat(np.array(losses, np.int64)[:, None], 3, axis=1)
    drill.draw(np.random.default_rng(0), 0)
    drill.learn(Batch(tapes, tapes), np.array(losses))
    return drill


def test_the_hardest_stay() -> None:
    drill = taught([*range(KEPT + 50)])
    assert drill.losses.tolist() == [*range(KEPT + 49, 49, -1)]
    assert drill.inputs[:, 0].tolist() == drill.targets[:, 2].tolist() == drill.losses.tolist()


def test_nothing_is_drawn_until_there_is_plenty() -> None:
    rng = np.random.default_rng(0)
    assert [len(taught([1.0] * count).draw(rng, 4).inputs) for count in (KEPT // 2 - 1, KEPT // 2)] == [0, 4]


def test_the_harder_the_more_likely() -> None:
    drill, rng = taught([9] * 10 + [0] * (KEPT - 10)), np.random.default_rng(0)
    assert all((drill.draw(rng, 4).inputs == 9).all() for _ in range(20))


def test_what_has_become_easy_goes_down() -> None:
    drill, rng = taught([100] + [0] * KEPT), np.random.default_rng(0)
    nothing = Batch(*np.empty((2, 0, 3), np.int64))
    for expected in (70, 49):
        assert drill.draw(rng, 1).inputs.tolist() == [[100] * 3]
        drill.learn(nothing, np.zeros(1))
        assert drill.losses[0] == np.float64(expected)
