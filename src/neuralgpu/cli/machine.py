"""The machine as the command sees it: its threads."""

import torch

from neuralgpu.cores import available_cores
from neuralgpu.errors import UserError


def use_threads(threads: int) -> None:
    """Compute with this many threads; 0 takes one for each core."""
    if threads < 0:
        raise UserError(f"threads is {threads}; it must be at least 0, where 0 takes all cores")
    torch.set_num_threads(threads or available_cores())
