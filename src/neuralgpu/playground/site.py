"""The files of the playground as a static host has them: the page, the networks and a list of these."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from neuralgpu.errors import UserError
from neuralgpu.runs.config import RunConfig, load_config
from neuralgpu.tasks import open_task

PAGE = Path(__file__).parent / "page"
CONFIG, WEIGHTS = "config.json", "model.safetensors"
KINDS = ("diagonal", "neural-gpu")
"""The models that the page runs: those of web/src/network."""

INDEX = "zoo/index.json"
"""The address of the list of networks, which is made when it is asked for."""


@dataclass(frozen=True)
class Listed:
    """A network as the list has it: its task and, where it is known, its recipe; or else what is wrong with it."""

    name: str
    task: str | None = None
    recipe: str | None = None
    error: str | None = None


def networks(zoo: Path) -> list[Listed]:
    """The networks of a folder: the folders in it that hold a config.json and a model.safetensors, as run directories
    do. One whose configuration cannot be read has an error and does not keep the others from being listed."""
    return [_listed(folder) for folder in _folders(zoo)]


def index(listed: list[Listed]) -> bytes:
    """The list of networks as JSON."""
    rows = [{key: value for key, value in asdict(network).items() if value is not None} for network in listed]
    return (json.dumps({"networks": rows}, indent=2) + "\n").encode()


def files(zoo: Path) -> dict[str, Callable[[], bytes]]:
    """Everything that is served, each by its address relative to the page, as a function that gives its content."""
    return _files(_folders(zoo)) | {INDEX: lambda: index(networks(zoo))}


def export(zoo: Path, target: Path) -> int:
    """Write the files into a folder that any static host can serve, without networks that cannot be read; returns how
    many."""
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise UserError(f"{target} is not an empty folder; choose one that is, or a new name")
    good = [network for network in networks(zoo) if network.error is None]
    found = _files([zoo / network.name for network in good]) | {INDEX: lambda: index(good)}
    for address, content in found.items():
        path = target / address
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content())
    return len(found)


def _files(folders: list[Path]) -> dict[str, Callable[[], bytes]]:
    """The page and these networks."""
    page = {path.relative_to(PAGE).as_posix(): path for path in sorted(PAGE.rglob("*")) if _is_inside(path, PAGE)}
    weights = {f"zoo/{folder.name}/{WEIGHTS}": folder / WEIGHTS for folder in folders}
    configs = {f"zoo/{folder.name}/{CONFIG}": partial(_config, folder) for folder in folders}
    return {address: path.read_bytes for address, path in (page | weights).items()} | configs


def _listed(folder: Path) -> Listed:
    try:
        config = _load(folder)
    except UserError as error:
        return Listed(folder.name, error=str(error))
    return Listed(folder.name, config.network.task, _recipe(config))


def _config(folder: Path) -> bytes:
    """The config.json that the page reads: the network part in the newest format, whichever the file has."""
    config = _load(folder)
    recipe = _recipe(config)
    return RunConfig(config.network, {} if recipe is None else {"recipe": recipe}).to_json().encode()


def _load(folder: Path) -> RunConfig:
    """The configuration of a network that the page can run; a UserError says why it cannot, without the path of the
    folder, which is nobody's business where the page is published."""
    try:
        config = load_config(folder / CONFIG)
        network = config.network
        open_task(network.task, network.alphabet).on(network.tape)
        if network.model.kind not in KINDS:
            raise UserError(f"{CONFIG} has a model of kind {network.model.kind!r}; the page runs {' and '.join(KINDS)}")
    except UserError as error:
        raise UserError(str(error).replace(str(folder / CONFIG), CONFIG)) from None
    except (ValueError, ArithmeticError) as error:  # a value that no check foresaw must not hide the other networks
        raise UserError(f"{CONFIG} holds a value that cannot be used: {error}") from None
    return config


def _recipe(config: RunConfig) -> str | None:
    recipe = config.training.get("recipe")
    return recipe if isinstance(recipe, str) else None


def _folders(zoo: Path) -> list[Path]:
    if not zoo.is_dir():
        return []
    folders = (folder for folder in zoo.iterdir() if not folder.name.startswith("."))
    return sorted(folder for folder in folders if all(_is_inside(folder / name, zoo) for name in (CONFIG, WEIGHTS)))


def _is_inside(path: Path, folder: Path) -> bool:
    """Whether this is a file of the folder, and not a link that leads out of it."""
    return path.is_file() and path.resolve().is_relative_to(folder.resolve())
