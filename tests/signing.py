"""Weights for a configuration that a test has changed."""

from pathlib import Path

import safetensors.torch

from neuralgpu.runs.config import load_config
from neuralgpu.runs.files import save_tensors


def sign(directory: Path) -> None:
    """Give the weights in a directory the digest of the config.json that is there now."""
    weights = safetensors.torch.load_file(directory / "model.safetensors")
    config = load_config(directory / "config.json")
    save_tensors(directory / "model.safetensors", weights, {}, config.network_digest)
