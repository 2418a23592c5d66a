"""The native engine: all steps of a sequence in one call of the compiled kernel, forward and backward, on the CPU."""

import ctypes
from typing import Any, Final

import torch
from torch import Tensor

from neuralgpu.engine import dropout as drops
from neuralgpu.engine.arena import Arena
from neuralgpu.engine.compute import MOST_THREADS
from neuralgpu.engine.library import Shape, load
from neuralgpu.errors import UserError
from neuralgpu.ranges import Range

BOUNDS: Final = {
    "batch": Range(1, 2**24),
    "cells": Range(1, 2**28),
    "maps": Range(1, 2**14),
    "steps": Range(0),
    "threads": Range(1, MOST_THREADS),
    "noise": Range(0, 1e6),
    "levels": Range(0, 2**20),
}
"""What the kernel takes: beyond these its integers would overflow, or its numbers say nothing."""
NO_THREADS = 2
"""What the kernel returns where the system gave no thread."""

_ARENA = Arena()


def cgru_rollout(
    s0: Tensor,
    U: Tensor,
    B: Tensor,
    steps: int,
    cutoff: bool = True,
    dropout: float = 0.0,
    seed: int = 0,
    *,
    threads: int | None = None,
) -> Tensor:
    """The mental image s_fin (batch, n, w, m) after `steps` steps of CGRUs from s0, with gradients for s0, U and B.

    U is (r, l, 3, k_w, k_h, m, m) and B (r, l, 3, m) as in models/neural_gpu.py; step t uses set t mod r. Dropout
    falls on s_0 .. s_{steps-1}, before each step, with the factors of engine/dropout.py.
    """
    shape = _cgru_shape(s0, U, B, steps, cutoff, dropout, seed, threads)
    return _Cgru.apply(s0, U, B, shape, _keep(s0, U, B))  # type: ignore[no-any-return,no-untyped-call]


def cgru_advance(
    s0: Tensor, U: Tensor, B: Tensor, steps: int, cutoff: bool = True, *, threads: int | None = None
) -> Tensor:
    """The same as `cgru_rollout` for a network in use: without dropout, without gradients, and in half of the time.

    The last digits differ from those of a rollout, but not with threads, nor with how the steps are cut into calls.
    """
    shape = _cgru_shape(s0, U, B, steps, cutoff, 0.0, 0, threads)
    out = torch.empty_like(s0)
    _call("ngpu_cgru_advance", shape, s0, U, B, out)
    return out


def diagonal_rollout(
    s0: Tensor,
    U: Tensor,
    B: Tensor,
    steps: int,
    dropout: float = 0.0,
    seed: int = 0,
    *,
    threads: int | None = None,
    noise: float = 0.0,
    levels: int = 0,
    sparse: bool = False,
) -> tuple[Tensor, Tensor]:
    """The state s_fin (batch, n, m) after `steps` steps of the Diagonal cell from s0, and the saturation cost.

    U is (3, k, m, m) and B (3, m) as in models/diagonal.py, whose rollout this computes. Dropout falls on the candidate
    of every step and uniform noise up to +-`noise` on every pre-activation, both from engine/dropout.py; the state is
    then rounded to multiples of 1/`levels` where that is not 0. `sparse` leaves out weights of U that are zero, which
    then have no gradient; it is faster where most of them are.
    """
    shape = _diagonal_shape(s0, U, B, steps, dropout, seed, threads, noise, levels, sparse)
    return _Diagonal.apply(s0, U, B, shape, _keep(s0, U, B))  # type: ignore[no-any-return,no-untyped-call]


def diagonal_advance(
    s0: Tensor, U: Tensor, B: Tensor, steps: int, levels: int = 0, *, threads: int | None = None, sparse: bool = False
) -> Tensor:
    """The state of `diagonal_rollout`, to the last digit, for a network in use: without gradients and the cost."""
    shape = _diagonal_shape(s0, U, B, steps, 0.0, 0, threads, 0.0, levels, sparse)
    out = torch.empty_like(s0)
    _call("ngpu_diagonal_forward", shape, s0, U, B, out, None, None)
    return out


def _cgru_shape(
    s0: Tensor, U: Tensor, B: Tensor, steps: int, cutoff: bool, dropout: float, seed: int, threads: int | None
) -> Shape:
    """What a call with these arguments computes, after they are checked."""
    batch, n, w, m = _sizes("s0", s0, "batch n w m")
    r, l, _, k_w, k_h = _sizes("U", U, "r l 3 k_w k_h m m", m=m)[:5]
    _sizes("B", B, "r l 3 m", r=r, l=l, m=m)
    if m % 8:
        raise ValueError(f"the native engine needs maps that are a multiple of 8, not {m}; use engine torch")
    if k_w % 2 == 0 or k_h % 2 == 0:
        raise ValueError(f"kernels are {k_w} x {k_h}; both sides must be odd")
    shape = _shape(s0, U, B, steps, dropout, seed, threads)
    shape.batch, shape.n, shape.w, shape.m = batch, n, w, m
    shape.layers, shape.sets, shape.k_w, shape.k_h, shape.cutoff = l, r, k_w, k_h, cutoff
    return shape


def _diagonal_shape(
    s0: Tensor,
    U: Tensor,
    B: Tensor,
    steps: int,
    dropout: float,
    seed: int,
    threads: int | None,
    noise: float,
    levels: int,
    sparse: bool,
) -> Shape:
    """What a call with these arguments computes, after they are checked."""
    batch, n, m = _sizes("s0", s0, "batch n m")
    k = _sizes("U", U, "3 k m m", m=m)[1]
    _sizes("B", B, "3 m", m=m)
    if m % 24:
        raise ValueError(f"the native Diagonal cell needs maps that are a multiple of 24, not {m}; use engine torch")
    if k % 2 == 0 or k < 3:
        raise ValueError(f"the kernel has {k} taps; it must be odd and at least 3")
    _check(noise=noise, levels=levels)
    shape = _shape(s0, U, B, steps, dropout, seed, threads)
    shape.batch, shape.n, shape.w, shape.m = batch, n, 1, m
    shape.layers, shape.sets, shape.k_w, shape.k_h = 1, 1, 1, k
    shape.noise, shape.levels, shape.sparse = noise, levels, sparse
    return shape


class _Cgru(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, s0: Tensor, U: Tensor, B: Tensor, shape: Shape, keep: bool) -> Tensor:
        out = torch.empty_like(s0)
        kept = _kept(shape) if keep else None
        _call("ngpu_cgru_forward", shape, s0, U, B, out, kept)
        ctx.save_for_backward(U, B, kept)
        ctx.shape = shape
        return out

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, dout: Tensor) -> tuple[Tensor | None, ...]:
        U, B, kept = ctx.saved_tensors
        ds0, dU, dB = _like(dout), _like(U), _like(B)
        _call("ngpu_cgru_backward", ctx.shape, U, kept, dout.contiguous(), ds0, dU, dB)
        return ds0, dU, dB, None, None


class _Diagonal(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, s0: Tensor, U: Tensor, B: Tensor, shape: Shape, keep: bool) -> tuple[Tensor, Tensor]:
        out, cost = torch.empty_like(s0), s0.new_empty(())
        kept = _kept(shape) if keep else None
        _call("ngpu_diagonal_forward", shape, s0, U, B, out, cost, kept)
        ctx.save_for_backward(U, B, kept)
        ctx.shape = shape
        return out, cost

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, dout: Tensor, dcost: Tensor) -> tuple[Tensor | None, ...]:
        U, B, kept = ctx.saved_tensors
        ds0, dU, dB = _like(dout), _like(U), _like(B)
        _call("ngpu_diagonal_backward", ctx.shape, U, kept, dout.contiguous(), dcost, ds0, dU, dB)
        return ds0, dU, dB, None, None


def _keep(*tensors: Tensor) -> bool:
    """Whether a gradient may be asked for, so that the forward pass must keep what the backward pass needs."""
    return torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors)


def _kept(shape: Shape) -> Tensor:
    """The memory for what the backward pass needs."""
    floats = _library().ngpu_kept_floats(shape)
    if floats < 0:
        raise MemoryError(f"no memory holds what the gradients of {shape.steps} steps need; compute without gradients")
    return _ARENA.lend(floats)


def _like(x: Tensor) -> Tensor:
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def _library() -> ctypes.CDLL:
    loaded = load()
    if loaded.library is None:
        raise RuntimeError(f"the native engine is not available: {loaded.why}")
    return loaded.library


def _call(name: str, shape: Shape, *arrays: Tensor | None) -> None:
    pointers = [None if array is None else array.data_ptr() for array in arrays]
    failure = getattr(_library(), name)(shape, *pointers)
    if failure == NO_THREADS:
        raise UserError(f"threads is {shape.threads}; the system does not give that many, use fewer")
    if failure:
        raise MemoryError(f"{name} found no memory for a batch of {shape.batch} with n = {shape.n}")


def _shape(s0: Tensor, U: Tensor, B: Tensor, steps: int, rate: float, seed: int, threads: int | None) -> Shape:
    """Checks what both cells share and fills the fields that do not depend on the cell."""
    _library()
    for name, tensor in (("s0", s0), ("U", U), ("B", B)):
        if tensor.device.type != "cpu":
            raise ValueError(f"{name} is on {tensor.device}; the native engine runs on the cpu, use engine torch")
        if tensor.dtype != torch.float32:
            raise ValueError(f"{name} is {tensor.dtype}; the native engine computes in torch.float32")
        if not tensor.is_contiguous():
            raise ValueError(f"{name} is not contiguous (strides {tensor.stride()}); pass {name}.contiguous()")
    threads = torch.get_num_threads() if threads is None else threads
    _check(batch=len(s0), cells=s0[0].numel() // s0.shape[-1], maps=s0.shape[-1], steps=steps, threads=threads)
    return Shape(
        steps=steps,
        threads=threads,
        seed=seed % 2**64,
        drop_threshold=drops.threshold(rate),
        drop_scale=drops.scale(rate),
    )


def _check(**values: float) -> None:
    """Refuse a value that the kernel does not take."""
    for name, value in values.items():
        if value not in BOUNDS[name]:
            raise ValueError(f"{name} is {value}; it must be {BOUNDS[name]}")


def _sizes(name: str, tensor: Tensor, axes: str, **known: int) -> tuple[int, ...]:
    """The shape of a tensor after checking its axes against those already known; "3" is the axis of the gates."""
    names = axes.split()
    if tensor.dim() != len(names):
        raise ValueError(f"{name} has shape {tuple(tensor.shape)}; it must be ({', '.join(names)})")
    for axis, size in zip(names, tensor.shape, strict=True):
        wanted = 3 if axis == "3" else known.get(axis, size)
        if size != wanted:
            raise ValueError(f"{name} has shape {tuple(tensor.shape)}; its axis {axis} must be {wanted}, not {size}")
        if size == 0:
            raise ValueError(f"{name} has shape {tuple(tensor.shape)}; its axis {axis} must not be empty")
    return tuple(tensor.shape)
