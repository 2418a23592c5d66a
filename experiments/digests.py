"""Give weights and checkpoints of versions before the digest one; the numbers in them stay as they are.

python experiments/digests.py src/neuralgpu/zoo/*/
"""

from pathlib import Path
from typing import Annotated

import torch
import tyro

from neuralgpu.runs.config import load_config
from neuralgpu.runs.files import load_tensors, save_tensors


def main() -> None:
    for directory in tyro.cli(Annotated[tuple[Path, ...], tyro.conf.Positional], description=__doc__):
        config = load_config(directory / "config.json")
        checkpoints = sorted((directory / "checkpoints").glob("step-*.safetensors"))
        for path, digest in [
            (directory / "model.safetensors", config.network_digest),
            *((checkpoint, config.run_digest) for checkpoint in checkpoints),
        ]:
            before, state = load_tensors(path, digest)
            save_tensors(path, before, state, digest)
            after, _ = load_tensors(path, digest)
            if before.keys() != after.keys() or not all(torch.equal(before[name], after[name]) for name in before):
                raise RuntimeError(f"{path} has changed")
            print(path)


if __name__ == "__main__":
    main()
