"""Buffers that outlive a call: a rollout in training keeps hundreds of megabytes, and asking the system for them again
in each step costs a page fault per 4 KB, a tenth of the step."""

import threading
import weakref
from collections.abc import Callable

import torch
from torch import Tensor


class Arena:
    """Lends float32 buffers, each until the object it was lent to is gone, and keeps them for the next borrower."""

    def __init__(self, limit: int = 2**30) -> None:
        """`limit` is the number of bytes kept while nobody borrows them."""
        self.limit = limit
        self._free: list[Tensor] = []
        self._lock = threading.Lock()

    def lend(self, floats: int, borrower: object) -> Tensor:
        """A buffer of at least `floats` numbers, returned to the arena when `borrower` is collected."""
        with self._lock:
            fitting = [k for k, free in enumerate(self._free) if floats <= free.numel() <= 2 * floats]
            best = min(fitting, key=lambda k: self._free[k].numel(), default=None)
            buffer = torch.empty(floats) if best is None else self._free.pop(best)
        finalizer: Callable[..., object] = weakref.finalize(borrower, self._take_back, buffer)
        del finalizer
        return buffer

    def _take_back(self, buffer: Tensor) -> None:
        with self._lock:
            self._free.append(buffer)
            while sum(4 * free.numel() for free in self._free) > self.limit:
                self._free.pop(0)
