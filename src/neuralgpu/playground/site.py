"""The files of the playground as a static host has them: the page, the networks and a list of these."""

import json
from pathlib import Path

from neuralgpu.errors import UserError
from neuralgpu.training.config import load_config

PAGE = Path(__file__).parent / "page"
NETWORK_FILES = ("config.json", "model.safetensors")


def site(zoo: Path) -> dict[str, Path | bytes]:
    """Every file by its address relative to the page; nothing else is served or exported.

    Networks are the folders in `zoo` that hold a config.json and a model.safetensors, as run directories do.
    """
    files: dict[str, Path | bytes] = {
        path.relative_to(PAGE).as_posix(): path for path in sorted(PAGE.rglob("*")) if _is_inside(path, PAGE)
    }
    networks = _networks(zoo)
    for folder in networks:
        files |= {f"zoo/{folder.name}/{name}": folder / name for name in NETWORK_FILES}
    return files | {"zoo/index.json": _index(networks)}


def export(zoo: Path, target: Path) -> int:
    """Write the files into a folder that any static host can serve; returns how many."""
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise UserError(f"{target} is not an empty folder; choose one that is, or a new name")
    files = site(zoo)
    for address, content in files.items():
        path = target / address
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.read_bytes())
    return len(files)


def _networks(zoo: Path) -> list[Path]:
    if not zoo.is_dir():
        return []
    folders = (folder for folder in zoo.iterdir() if not folder.name.startswith("."))
    return sorted(folder for folder in folders if all(_is_inside(folder / name, zoo) for name in NETWORK_FILES))


def _is_inside(path: Path, folder: Path) -> bool:
    """Whether this is a file of the folder, and not a link that leads out of it."""
    return path.is_file() and path.resolve().is_relative_to(folder.resolve())


def _index(networks: list[Path]) -> bytes:
    configs = {folder.name: load_config(folder / "config.json") for folder in networks}
    rows = [{"name": name, "task": config.task, "recipe": config.recipe} for name, config in configs.items()]
    return (json.dumps({"networks": rows}, indent=2) + "\n").encode()
