"""Which engine runs, and what is said about it."""

from pathlib import Path

import pytest

from neuralgpu import engine
from neuralgpu.engine import library
from neuralgpu.models.config import DiagonalConfig, NeuralGPUConfig

native_only = pytest.mark.skipif(not engine.available(), reason=engine.why())


def test_torch_is_always_an_answer() -> None:
    assert engine.choose("torch", None) == "torch"
    assert engine.choose("torch", "maps is 12") == "torch"


@native_only
def test_auto_takes_native_where_it_can_run() -> None:
    assert engine.choose("auto", None) == "native"
    assert engine.choose("auto", "maps is 12") == "torch"


@native_only
def test_native_that_cannot_run_is_an_error_with_the_reason() -> None:
    assert engine.choose("native", None) == "native"
    with pytest.raises(ValueError, match="maps is 12 and must be a multiple of 8"):
        engine.choose("native", "maps is 12 and must be a multiple of 8")


def test_without_a_library_auto_is_torch_and_native_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "load", lambda: library.Loaded(None, None, "the kernel was not built"))
    assert engine.choose("auto", None) == "torch"
    with pytest.raises(ValueError, match="the kernel was not built"):
        engine.choose("native", None)


def test_a_model_names_what_keeps_the_native_engine_from_it() -> None:
    assert NeuralGPUConfig(maps=32).native_obstacle() is None
    obstacle = NeuralGPUConfig(maps=20).native_obstacle()
    assert obstacle == "maps is 20 and must be a multiple of 8"
    assert DiagonalConfig(maps=48).native_obstacle() is None
    obstacle = DiagonalConfig(maps=36).native_obstacle()
    assert obstacle == "maps is 36 and must be a multiple of 24"


def test_an_unknown_engine_is_an_error() -> None:
    with pytest.raises(ValueError, match="'fast'; it must be auto, torch or native"):
        engine.choose("fast", None)  # type: ignore[arg-type]


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
