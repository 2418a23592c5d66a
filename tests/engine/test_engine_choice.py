"""Which engine runs, and what is said about it."""

from pathlib import Path

import pytest
import torch

from neuralgpu import engine
from neuralgpu.engine import library
from neuralgpu.models.config import NeuralGPUConfig

native_only = pytest.mark.skipif(not engine.available(), reason=engine.why())


def test_torch_is_always_an_answer() -> None:
    assert engine.choose("torch", "cpu", NeuralGPUConfig()) == "torch"


@native_only
def test_auto_takes_native_where_it_can_run() -> None:
    assert engine.choose("auto", torch.device("cpu"), NeuralGPUConfig()) == "native"
    assert engine.choose("auto", "cuda:0", NeuralGPUConfig()) == "torch"
    assert engine.choose("auto", "cpu", NeuralGPUConfig(maps=12)) == "torch"
    assert engine.choose("auto", "cpu", NeuralGPUConfig(maps=32), multiple=24) == "torch"


@native_only
def test_native_that_cannot_run_is_an_error_with_the_reason() -> None:
    with pytest.raises(ValueError, match="maps is 12 and must be a multiple of 8"):
        engine.choose("native", "cpu", NeuralGPUConfig(maps=12))
    with pytest.raises(ValueError, match="runs on the cpu, and the device is cuda:0"):
        engine.choose("native", "cuda:0", NeuralGPUConfig())


def test_an_unknown_engine_is_an_error() -> None:
    with pytest.raises(ValueError, match="'fast'; it must be auto, torch or native"):
        engine.choose("fast", "cpu", NeuralGPUConfig())  # type: ignore[arg-type]


@native_only
def test_the_instruction_set_is_named_with_its_reason() -> None:
    assert engine.instruction_set() in ("baseline", "avx2", "avx512", "neon")
    assert str(engine.instruction_set()) in engine.why()


def test_without_libraries_the_remedy_is_named(tmp_path: Path) -> None:
    loaded = library.load(tmp_path)
    assert loaded.library is None
    assert "install g++ and reinstall" in loaded.why


def test_a_broken_library_is_reported_and_not_raised(tmp_path: Path) -> None:
    (tmp_path / "libngpu_baseline.so").write_bytes(b"not a library")
    loaded = library.load(tmp_path)
    assert loaded.library is None
    assert "could not be loaded" in loaded.why


@native_only
def test_a_missing_best_library_falls_back_to_the_next(tmp_path: Path) -> None:
    name = "neon" if engine.instruction_set() == "neon" else "baseline"
    (tmp_path / f"libngpu_{name}.so").write_bytes((library.HERE / f"libngpu_{name}.so").read_bytes())
    assert library.load(tmp_path).instruction_set == name
