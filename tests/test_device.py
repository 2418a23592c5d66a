"""What computes a network: engine, threads and device."""

from pathlib import Path

import pytest
import torch

from command import error_of, ngpu
from neuralgpu import engine, load
from neuralgpu.engine.compute import Compute, choose_compute
from neuralgpu.errors import UserError
from neuralgpu.training.recipes import get_recipe
from tiny import TINY

ABSENT = [name for name in ("cuda", "mps") if not getattr(torch, name).is_available()]
"""Devices that torch knows and this machine does not have."""


@pytest.mark.parametrize("device", [*ABSENT, "nonsense", "meta", "hpu", "", "cuda:99"])
def test_a_device_that_is_not_there_is_told_in_a_sentence(device: str) -> None:
    with pytest.raises(UserError) as refused:
        choose_compute(None, device=device)
    message = str(refused.value)
    assert message.startswith(f"device {device!r} cannot be used here (")
    assert message.endswith("); use --device cpu")
    assert "\n" not in message


@pytest.mark.parametrize("device", [*ABSENT, "nonsense"])
def test_a_device_that_is_not_there_is_one_line_at_the_terminal(
    device: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = error_of(capsys, "train", "copy", "--device", device, "--out", str(tmp_path / "run"))
    assert said.startswith(f"device {device!r} cannot be used here (")
    assert not (tmp_path / "run").exists()
    assert error_of(capsys, "evaluate", "copy", "--device", device).startswith(f"device {device!r} cannot be used")


@pytest.mark.parametrize("recipe", ["paper", "exact"])
def test_the_cpu_is_a_device(recipe: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    steps = (
        [*TINY, "--max-steps", "2"]
        if recipe == "paper"
        else ["--fit.steps", "2", "--fit.batch", "1", "--retry.retries", "0"]
    )
    words = ["train", "copy", "--recipe", recipe, "--device", "cpu", "--threads", "1", "--evaluate-count", "0", *steps]
    assert ngpu(capsys, *words, "--out", str(tmp_path / "run"))[0] == 0
    assert load(tmp_path / "run", device="cpu").model.compute.device == "cpu"


@pytest.mark.parametrize("recipe", ["paper", "exact"])
def test_a_device_that_is_not_the_plain_cpu_is_computed_by_torch(recipe: str) -> None:
    obstacle = get_recipe(recipe).model.native_obstacle()
    assert choose_compute(obstacle, device="cpu:0", threads=1) == Compute("torch", 1, "cpu:0")


def test_a_network_on_a_device_answers_as_on_the_cpu() -> None:
    assert load("badd", device="cpu:0")("1010+0111") == load("badd")("1010+0111") == "11001"


def test_the_native_engine_computes_on_the_cpu_alone() -> None:
    with pytest.raises(
        UserError, match=r"the native engine cannot run this model: (it computes on the CPU|the kernel)"
    ):
        choose_compute(None, engine="native", device="cpu:0")


@pytest.mark.parametrize("threads", [-1, 1025])
def test_an_impossible_number_of_threads_is_refused(threads: int) -> None:
    with pytest.raises(UserError, match=rf"^threads is {threads}; it must be from 0 to 1024, where 0 takes all cores$"):
        choose_compute(None, threads=threads)


def test_no_number_of_threads_takes_one_for_each_core() -> None:
    assert choose_compute(None).threads >= 1


@pytest.mark.parametrize(("name", "threads"), [("native", 1), ("torch", 3)])
def test_beside_the_native_engine_torch_has_one_thread(name: engine.Engine, threads: int) -> None:
    before = torch.get_num_threads()
    with Compute(name, threads=3).torch_threads():
        assert torch.get_num_threads() == threads
    assert torch.get_num_threads() == before
