"""The files of the playground as a static host has them: the page, the networks and a list of these."""

import json
from pathlib import Path

from neuralgpu.errors import UserError
from neuralgpu.training.config import load_config

PAGE = Path(__file__).parent / "page"
NETWORK_FILES = ("config.json", "model.safetensors")


INDEX = "zoo/index.json"
"""The address of the list of networks, which is made when it is asked for."""


def files(zoo: Path) -> dict[str, Path]:
    """Every file but the index by its address relative to the page; nothing else is served or exported.

    Networks are the folders in `zoo` that hold a config.json and a model.safetensors, as run directories do.
    """
    page = {path.relative_to(PAGE).as_posix(): path for path in sorted(PAGE.rglob("*")) if _is_inside(path, PAGE)}
    networks = {f"zoo/{folder.name}/{name}": folder / name for folder in _networks(zoo) for name in NETWORK_FILES}
    return page | networks


def index(zoo: Path) -> bytes:
    """The list of networks as JSON; a UserError names one whose configuration is wrong."""
    configs = {folder.name: load_config(folder / "config.json") for folder in _networks(zoo)}
    rows = [{"name": name, "task": config.task, "recipe": config.recipe} for name, config in configs.items()]
    return (json.dumps({"networks": rows}, indent=2) + "\n").encode()


def export(zoo: Path, target: Path) -> int:
    """Write the files into a folder that any static host can serve; returns how many."""
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise UserError(f"{target} is not an empty folder; choose one that is, or a new name")
    contents = {INDEX: index(zoo)} | {address: path.read_bytes() for address, path in files(zoo).items()}
    for address, content in contents.items():
        path = target / address
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return len(contents)


def _networks(zoo: Path) -> list[Path]:
    if not zoo.is_dir():
        return []
    folders = (folder for folder in zoo.iterdir() if not folder.name.startswith("."))
    return sorted(folder for folder in folders if all(_is_inside(folder / name, zoo) for name in NETWORK_FILES))


def _is_inside(path: Path, folder: Path) -> bool:
    """Whether this is a file of the folder, and not a link that leads out of it."""
    return path.is_file() and path.resolve().is_relative_to(folder.resolve())
