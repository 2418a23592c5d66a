"""Hostile configurations: read as they stand, or refused in one line, without taking memory or time."""

import copy
import json
from pathlib import Path
from random import Random
from typing import Any

import neuralgpu
from fuzz import check_line
from neuralgpu import zoo
from neuralgpu.errors import LONGEST, UserError
from neuralgpu.playground.site import networks

HOSTILE: list[Any] = [
    *(None, True, False, 0, -1, 1, 2, 3, 0.5, -0.0, 1e-308, 1e308, 2**31, 2**53 + 1, 2**63, 2**64, 10**30, 10**400),
    *(float("inf"), float("-inf"), float("nan"), 9600, 1023, 1024, 10_000, 100_000, 1000.0),
    *("", " ", "x" * 10_000, "../..", "\x00", "é", "\n", "neural-gpu", "diagonal", "9" * 5000, "add10", "mul3", "01+"),
    *([], {}, [1, 2], {"kind": "diagonal"}, [[[]]], {"": ""}),
]
DEEP = "[" * 100_000


class Configurations:
    """Configurations made of the shipped ones."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "zoo"
        self.network = self.folder / "hostile"
        self.network.mkdir(parents=True)
        self.shipped = [json.loads((zoo.HERE / name / "config.json").read_text()) for name in zoo.names()]
        self.weights = [(zoo.HERE / name / "model.safetensors").read_bytes() for name in zoo.names()]

    def attempt(self, rng: Random) -> str:
        """Load a network with a hostile config.json and list it for the page: "loaded" or "refused"."""
        number = rng.randrange(len(self.shipped))
        (self.network / "model.safetensors").write_bytes(self.weights[number])
        (self.network / "config.json").write_text(_hostile(rng, copy.deepcopy(self.shipped[number])))
        (listed,) = networks(self.folder)
        assert listed.error is None or len(listed.error) <= LONGEST
        try:
            neuralgpu.load(self.network, threads=1)
        except UserError as error:
            check_line(error)
            return "refused"
        return "loaded"


def _hostile(rng: Random, config: dict[str, Any]) -> str:
    for _ in range(rng.choice([1, 1, 1, 2, 5])):
        place, key = rng.choice(list(_places(config)))
        kind = rng.randrange(8)
        if kind == 0:
            place.pop(key, None)
        elif kind == 1:
            place[rng.choice(["", "x", "kind", "maps", key + "s"])] = rng.choice(HOSTILE)
        else:
            place[key] = rng.choice(HOSTILE)
    text = json.dumps(config)
    if rng.random() < 0.05:
        text = text.replace(": ", f": {DEEP}", rng.randint(1, 3))
    return text


def _places(data: dict[str, Any]) -> list[tuple[dict[str, Any], str]]:
    """Every key with the object that it is in."""
    found = [(data, key) for key in data]
    for value in data.values():
        if isinstance(value, dict):
            found += _places(value)
    return found
