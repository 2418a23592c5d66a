"""Fixtures shared by the tests of the native engine."""

import pytest

from neuralgpu import engine
from neuralgpu.engine import library, native


@pytest.fixture(params=["baseline", "avx2", "avx512", "neon"])
def built_library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each built library that runs on this machine, in place of the best one."""
    name = request.param
    path = library.HERE / f"libngpu_{name}.so"
    order = ["baseline", "avx2", "avx512"]
    best = str(engine.instruction_set())
    if not path.exists() or (best in order and order.index(name) > order.index(best)):
        pytest.skip(f"no {name} library runs on this machine")
    monkeypatch.setattr(native, "load", lambda: library.Loaded(library.open_library(path), name, ""))
