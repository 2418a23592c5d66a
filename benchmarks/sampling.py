"""What share of a training step is spent on its examples, for a task of each family.

    python benchmarks/sampling.py

A step trains a minibatch of each of nine lengths from 3 to 41 cells, 72 examples in all. The table has the processor's
time for the examples of TRAINING steps, those made once for pools included, over the time of as many steps. Written to
benchmarks/sampling.json.
"""

import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.progress import track
from rich.table import Table

from neuralgpu.streams import Stream, stream
from neuralgpu.tasks import FAMILIES, Task
from neuralgpu.training.config import configure, with_settings
from neuralgpu.training.recipes import get_recipe
from neuralgpu.training.staged import StagedTrainer
from neuralgpu.training.train import make_trainer

ROUNDS = 9
LENGTHS = (3, 4, 5, 6, 8, 12, 20, 30, 41)
BATCH = 8
TRAINING = 2_000
"""Steps of a short training, over which the pools are shared out."""
MAPS = 24


def seconds(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def draw(trainer: StagedTrainer) -> None:
    """The examples of a training."""
    for step in range(TRAINING):
        rng = stream(0, Stream.STEP, step)
        for length in LENGTHS:
            trainer.minibatch(rng, length, LENGTHS)


def measure(task: Task) -> dict[str, float]:
    changes = {"fit.lengths": LENGTHS, "fit.batch": BATCH, "maps": MAPS}
    trainer = make_trainer(configure(task, "exact", with_settings(get_recipe("exact"), changes), 0, threads=1), task)
    assert isinstance(trainer, StagedTrainer)
    trainer.train_step()  # the first step is slower
    step = median(seconds(trainer.train_step) for _ in range(ROUNDS))
    return {"step_seconds": step, "share": seconds(partial(draw, trainer)) / (TRAINING * step)}


def main() -> None:
    shares = {family[0].name: measure(family[0]) for family in track(FAMILIES.values(), "measuring")}
    table = Table("task", "step", "examples / step")
    for name, found in shares.items():
        table.add_row(name, f"{found['step_seconds'] * 1000:.0f} ms", f"{found['share']:.2%}")
    Console().print(table)
    path = Path(__file__).with_suffix(".json")
    path.write_text(json.dumps(shares, indent=2) + "\n")
    print(f"written to {path}")


if __name__ == "__main__":
    main()
