"""The native engine's stack-RNN: plain SGD over sequences, and answers, each in one call of the compiled kernel."""

import ctypes
from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from neuralgpu.engine.library import load

Symbols = NDArray[np.int64]


class StackShape(ctypes.Structure):
    """What one call computes; native/stack_rnn.h holds the same fields in the same order."""

    _fields_ = (
        *((name, ctypes.c_int64) for name in ("vocabulary", "hidden", "stacks", "reads", "sequences", "longest")),
        *((name, ctypes.c_int64) for name in ("bptt", "every")),
        *((name, ctypes.c_float) for name in ("rate", "clip")),
        *((name, ctypes.c_int32) for name in ("hard", "choices")),
    )


def train(
    weights: Sequence[Tensor],
    symbols: Symbols,
    lengths: Symbols,
    firsts: Symbols,
    *,
    rate: float,
    clip: float = 15.0,
    bptt: int = 50,
    every: int = 1,
    hard: bool = False,
) -> tuple[NDArray[np.float32], Symbols]:
    """Move the weights U, P, A, D and V of models/stack_rnn.py, in place, by one sequence after the other.

    Row q of `symbols` (sequences, longest) counts up to lengths[q]; its symbols from place firsts[q] on are predicted.
    An update follows `every` predicted symbols, or the sequence where that is 0; its errors go `bptt` steps back, or to
    the beginning where that is 0, and are cut to +-`clip` on their way. With a rate of 0 nothing moves. Returns the
    summed loss of each sequence, and how many of its symbols were the likeliest.
    """
    count, longest = symbols.shape
    shape = _shape(weights, count, longest)
    shape.rate, shape.clip, shape.bptt, shape.every, shape.hard = rate, clip, bptt, every, hard
    losses, rights = np.empty(count, np.float32), np.empty(count, np.int64)
    _call("ngpu_stack_train", shape, weights, _given(symbols), _given(lengths), _given(firsts), losses, rights)
    return losses, rights


def answer(
    weights: Sequence[Tensor], questions: Symbols, lengths: Symbols, most: int, choices: int, *, hard: bool = False
) -> Symbols:
    """Read each question, then write: symbols (sequences, most) below `choices` up to the first 0, and 0 after it.

    Row q of `questions` (sequences, longest) counts up to lengths[q].
    """
    count, longest = questions.shape
    shape = _shape(weights, count, longest)
    shape.hard, shape.choices = hard, choices
    answers = np.empty((count, most), np.int64)
    _call("ngpu_stack_answer", shape, weights, _given(questions), _given(lengths), most, answers)
    return answers


def _shape(weights: Sequence[Tensor], count: int, longest: int) -> StackShape:
    U, P, A, D, V = weights
    vocabulary, hidden = U.shape
    stacks, reads = P.shape[:2]
    right = [(vocabulary, hidden), (stacks, reads, hidden), (3, stacks, hidden), (stacks, hidden), (vocabulary, hidden)]
    for name, tensor, axes in zip("UPADV", (U, P, A, D, V), right, strict=True):
        if tensor.shape != axes or tensor.dtype != torch.float32 or not tensor.is_contiguous():
            raise ValueError(f"{name} is {tensor.dtype} of shape {tuple(tensor.shape)}; it must be float32 {axes}")
    return StackShape(vocabulary, hidden, stacks, reads, count, longest, choices=vocabulary)


def _given(array: Symbols) -> Symbols:
    return np.ascontiguousarray(array, dtype=np.int64)


def _call(
    name: str, shape: StackShape, weights: Sequence[Tensor], *arguments: Symbols | NDArray[np.float32] | int
) -> None:
    library = load().library
    if library is None:
        raise RuntimeError(f"the native engine is not available: {load().why}")
    pointers = [ctypes.c_void_p(tensor.data_ptr()) for tensor in weights]
    others = [ctypes.c_int64(x) if isinstance(x, int) else ctypes.c_void_p(x.ctypes.data) for x in arguments]
    if getattr(library, name)(ctypes.byref(shape), *pointers, *others):
        raise MemoryError(f"{name} found no memory for {shape.sequences} sequences of {shape.longest} symbols")
