"""A bounded part of the fuzzer, from fixed seeds; `make fuzz` runs for as long as one likes."""

import os
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzz import check_line, kernels, texts
from fuzz.command_lines import CommandLines
from fuzz.configurations import Configurations
from fuzz.run_directories import RunDirectories
from neuralgpu import engine
from neuralgpu.errors import UserError
from neuralgpu.tasks import get_task

PART = int(os.environ.get("FUZZ_PART", "1"))
"""Multiplies the attempts."""


def test_texts_have_the_oracle_s_answer_or_are_refused_in_a_line() -> None:
    endings = Counter(texts.attempt(Random(seed)) for seed in range(2000 * PART))
    assert endings.keys() == {"answered", "refused"}


@given(name=st.sampled_from(texts.NAMES), text=st.text(max_size=30))
def test_any_text_at_all_is_answered_or_refused_in_a_line(name: str, text: str) -> None:
    try:
        assert get_task(name).answer(text) is not None
    except UserError as error:
        check_line(error)


@pytest.fixture(scope="module")
def run_directories(tmp_path_factory: pytest.TempPathFactory) -> RunDirectories:
    return RunDirectories(tmp_path_factory.mktemp("fuzz"))


def test_no_mutation_of_a_run_makes_a_silent_difference(run_directories: RunDirectories) -> None:
    endings = Counter(run_directories.attempt(Random(seed)) for seed in range(80 * PART))
    assert endings["refused when loaded, refused when resumed"]
    assert endings["same when loaded, said when resumed"]
    assert endings["same when loaded, same when resumed"]


def test_hostile_configurations_are_read_or_refused_in_a_line(tmp_path: Path) -> None:
    hostile = Configurations(tmp_path)
    endings = Counter(hostile.attempt(Random(seed)) for seed in range(100 * PART))
    assert endings.keys() == {"loaded", "refused"}


def test_command_lines_are_answered_or_refused_in_a_line(tmp_path: Path) -> None:
    lines = CommandLines(tmp_path)
    endings = Counter(lines.attempt(Random(seed)) for seed in range(100 * PART))
    assert endings.keys() == {"answered", "refused"}


@pytest.mark.skipif(not engine.available(), reason="there is no native engine")
def test_the_kernel_computes_what_torch_does_or_refuses() -> None:
    endings = Counter(kernels.attempt(Random(seed)) for seed in range(100 * PART))
    assert endings.keys() == {"as torch", "refused"}
