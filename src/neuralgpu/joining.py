"""Several networks that learned the same task, side by side in one: where one of them errs, the others outvote it."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from neuralgpu.errors import UserError
from neuralgpu.models.diagonal import Diagonal, side_by_side
from neuralgpu.network import load
from neuralgpu.training.checkpoint import save_tensors
from neuralgpu.training.config import load_config, train_command
from neuralgpu.training.directory import RunDirectory
from neuralgpu.zoo import find


def join(paths: Sequence[str | Path], out: Path) -> None:
    """Write a network that is made of those in `paths` to a new directory."""
    if len(paths) < 2:
        raise UserError(f"only {len(paths)} given; name at least two trained networks to join")
    configs = [load_config(find(path) / "config.json") for path in paths]
    networks = [load(path) for path in paths]
    models = [model for network in networks if isinstance(model := network.model, Diagonal)]
    if len(models) < len(networks):
        raise UserError("only Diagonal Neural GPUs can be joined, such as the recipes exact and small train")
    commands = [command for config in configs for command in config.joined or (train_command(config),)]
    if len(set(commands)) < len(commands):
        raise UserError("two of the networks have the same command and seed, so they are the same network")
    kinds = [
        (network.task.name, network.task.tape, replace(model.config, maps=3))
        for network, model in zip(networks, models, strict=True)
    ]
    for path, kind in zip(paths, kinds, strict=True):
        if kind != kinds[0]:
            raise UserError(
                f"{paths[0]} and {path} differ in task, tape, kernel or levels; join networks that agree in these"
            )
    joined = side_by_side(models)
    settings = replace(configs[0].settings, model=joined.config)  # type: ignore[arg-type]  # it is a Diagonal recipe
    config = replace(configs[0], settings=settings, joined=tuple(commands))
    save_tensors(RunDirectory.create(out, config).model_path, joined.state_dict(), {})
