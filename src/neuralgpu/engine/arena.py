"""Buffers that outlive a call: a rollout in training keeps hundreds of megabytes, and asking the system for them again
in each step costs a page fault per 4 KB, a tenth of the step."""

import threading
import weakref

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


class Arena:
    """Lends float32 tensors and, when the last reference to one is gone, keeps its memory for the next borrower.

    A large buffer serves small requests too, and what is too small for a request is let go, so that a run over tapes of
    many lengths holds no more than it once needed at the same time.
    """

    def __init__(self, limit: int = 2**30) -> None:
        """`limit` is the number of bytes kept while nobody borrows them."""
        self.limit = limit
        self._free: list[NDArray[np.float32]] = []
        self._lock = threading.RLock()  # a collection may give memory back in the middle of lending

    def lend(self, floats: int) -> Tensor:
        """A tensor of at least `floats` numbers of any value."""
        with self._lock:
            fitting = [k for k, free in enumerate(self._free) if floats <= free.size]
            best = min(fitting, key=lambda k: self._free[k].size, default=None)
            memory = None if best is None else self._free.pop(best)
            if memory is None:
                self._free.clear()
        if memory is None:
            memory = np.empty(floats, np.float32)
        lent = memory[:]  # the tensor holds this view, so the view's end is the loan's end
        weakref.finalize(lent, self._take_back, memory).atexit = False
        return torch.from_numpy(lent)

    def _take_back(self, memory: NDArray[np.float32]) -> None:
        with self._lock:
            self._free.append(memory)
            while sum(free.nbytes for free in self._free) > self.limit:
                self._free.pop(0)
