"""Several networks that learned the same task, side by side in one: where one of them errs, the others outvote it."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from neuralgpu.errors import UserError
from neuralgpu.models.diagonal import Diagonal, side_by_side
from neuralgpu.network import load
from neuralgpu.training.checkpoint import save_tensors
from neuralgpu.training.config import RunConfig, changed_settings, load_config
from neuralgpu.training.directory import RunDirectory
from neuralgpu.zoo import find


def join(paths: Sequence[str | Path], out: Path) -> None:
    """Write a network that is made of those in `paths`, which differ in nothing but their seeds, to a new directory."""
    if len(paths) < 2:
        raise UserError(f"only {len(paths)} given; name at least two trained networks to join")
    configs = [load_config(find(path) / "config.json") for path in paths]
    models = []
    for path in paths:
        model = load(path).model
        if not isinstance(model, Diagonal):
            raise UserError(f"{path} is no Diagonal Neural GPU, and only these can be joined")
        models.append(model)
    _check_alike(paths, configs)
    joined, first = side_by_side(models), configs[0]
    settings = replace(first.settings, model=joined.config)  # type: ignore[arg-type]  # it is a Diagonal recipe
    config = replace(first, settings=settings, joined=tuple(config.seed for config in configs))
    save_tensors(RunDirectory.create(out, config).model_path, joined.state_dict(), {})


def _check_alike(paths: Sequence[str | Path], configs: Sequence[RunConfig]) -> None:
    first = configs[0]
    for path, config in zip(paths[1:], configs[1:], strict=True):
        for name, (one, other) in changed_settings(replace(first, seed=config.seed), config).items():
            raise UserError(f"{name} is {one} in {paths[0]} and {other} in {path}; join networks that differ by seed")
    seeds = [config.seed for config in configs]
    if len(set(seeds)) < len(seeds):
        raise UserError(f"the seeds are {', '.join(map(str, seeds))}; two networks of one seed are the same network")
