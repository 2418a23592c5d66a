"""Buffers that outlive a call: a rollout in training keeps hundreds of megabytes, and asking the system for them again
in each step costs a page fault per 4 KB, a tenth of the step."""

import threading
import weakref
from collections import deque

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
        """`limit` is the number of bytes kept for later loans; each loan looks to it when it begins."""
        self.limit = limit
        self._free: list[NDArray[np.float32]] = []
        self._returned: deque[NDArray[np.float32]] = deque()
        self._lock = threading.Lock()

    def lend(self, floats: int) -> Tensor:
        """A tensor of at least `floats` numbers of any value."""
        with self._lock:
            self._collect()
            fitting = [k for k, free in enumerate(self._free) if floats <= free.size]
            best = min(fitting, key=lambda k: self._free[k].size, default=None)
            if best is None:
                self._free.clear()
            memory = np.empty(floats, np.float32) if best is None else self._free.pop(best)
        lent = memory[:]  # the tensor holds this view, so the view's end is the loan's end
        # A loan may end at any moment, even in the middle of lend: all that happens then is one atomic append.
        weakref.finalize(lent, self._returned.append, memory).atexit = False
        return torch.from_numpy(lent)

    def _collect(self) -> None:
        """Take what was returned into the free list, and let the oldest go beyond the limit."""
        while self._returned:
            self._free.append(self._returned.popleft())
        while sum(free.nbytes for free in self._free) > self.limit:
            self._free.pop(0)
