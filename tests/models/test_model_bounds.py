"""Huge models are refused before memory is taken for them."""

import json
import resource
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch

import neuralgpu
from neuralgpu import zoo
from neuralgpu.errors import UserError
from neuralgpu.runs.config import load_config
from neuralgpu.runs.files import load_tensors, save_tensors
from signing import sign

HUGE: dict[str, dict[str, Any]] = {
    "copy": {"maps": 1023, "kernel": 1023},
    "copy-paper": {"maps": 1024, "layers": 1024, "width": 1024, "kernel_width": 1023, "kernel_height": 1023},
}


def peak() -> int:
    """The most memory that this process has had, in KiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


@pytest.mark.parametrize("name", HUGE)
def test_weights_are_compared_with_a_huge_configuration_before_anything_is_allocated(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    shutil.copytree(zoo.HERE / name, path)
    config = json.loads((path / "config.json").read_text())
    config["network"]["model"] |= HUGE[name]
    (path / "config.json").write_text(json.dumps(config))
    sign(path)
    neuralgpu.load(name)
    before = peak()
    with pytest.raises(UserError, match=r"model\.safetensors does not fit config\.json: "):
        neuralgpu.load(path)
    assert peak() - before < 50_000


@pytest.mark.parametrize(
    ("recipe", "settings"),
    [
        ("diagonal", {"maps": 1023, "kernel": 1023}),
        ("paper", {"layers": 1024, "maps": 48}),
        ("paper", {"maps": 512, "relaxation_sets": 1000}),
    ],
)
def test_a_huge_model_is_not_trained(recipe: str, settings: dict[str, Any], tmp_path: Path) -> None:
    before = peak()
    with pytest.raises(UserError, match=r"^the network would have [\d,]+ parameters; it must be at most 100,000,000"):
        neuralgpu.train("copy", recipe, out=tmp_path / "run", **settings)
    assert peak() - before < 50_000
    assert not (tmp_path / "run").exists()


def test_weights_of_another_type_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "copy"
    shutil.copytree(zoo.HERE / "copy", path)
    digest = load_config(path / "config.json").network_digest
    weights, _ = load_tensors(path / "model.safetensors", digest)
    doubles = {name: weight.to(torch.float64) for name, weight in weights.items()}
    save_tensors(path / "model.safetensors", doubles, {}, digest)
    with pytest.raises(UserError, match=r"numbers of type torch\.float64, not torch\.float32"):
        neuralgpu.load(path)
