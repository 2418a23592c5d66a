"""config.json: the network part is all that is needed to use a network, the training part is how it came about."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from pydantic import ConfigDict, TypeAdapter, ValidationError

from neuralgpu.errors import UserError, nearest
from neuralgpu.models.config import ModelConfig
from neuralgpu.models.registry import config_class
from neuralgpu.models.steps import Steps
from neuralgpu.runs.digest import network_digest, run_digest
from neuralgpu.runs.format1 import convert
from neuralgpu.tasks import Alphabet, Tape

Part = TypeVar("Part")

FORMAT = 2
"""The version of config.json that this code writes, and the newest that it reads."""
KINDS_OF_ALPHABET = ("str", "tuple[str, ...]")
"""What pydantic adds to the place of an alphabet that is neither."""


@dataclass(frozen=True)
class NetworkConfig:
    """What a network is: with its weights, all that is needed to use it."""

    task: str
    """the name of what it learned"""
    alphabet: Alphabet
    """its symbols in their order on a tape: a text of characters, or words"""
    tape: Tape
    steps: Steps
    model: ModelConfig

    def to_dict(self) -> dict[str, Any]:
        """The network part of config.json."""
        return {**asdict(self), "model": {"kind": self.model.kind, **asdict(self.model)}}


@dataclass(frozen=True)
class RunConfig:
    """All of config.json; what the training part means is known to the room `training` alone."""

    network: NetworkConfig
    training: dict[str, Any]
    network_digest: str = field(default="", compare=False)
    """that of the network part as it stands in the file, to which model.safetensors belongs; `load_config` gives it"""
    run_digest: str = field(default="", compare=False)
    """that of the training part, to which checkpoints belong"""

    def to_json(self) -> str:
        """The text of config.json."""
        return (
            json.dumps({"format": FORMAT, "network": self.network.to_dict(), "training": self.training}, indent=2)
            + "\n"
        )


@dataclass(frozen=True)
class _File:
    """config.json before its network part is looked at; the training part may be anything to a network in use."""

    format: int
    network: dict[str, Any]


@dataclass(frozen=True)
class _Network:
    """The network part before the kind of the model is looked at."""

    task: str
    alphabet: Alphabet
    tape: Tape
    steps: Steps
    model: dict[str, Any]


def load_config(path: Path) -> RunConfig:
    """Read config.json; a UserError names the file, the setting and the remedy."""
    data = read_json(path)
    if not isinstance(data, dict) or type(data.get("format")) is not int:
        raise UserError(f"{path} has no format; name a config.json made by `ngpu train`")
    if data["format"] > FORMAT:
        raise UserError(
            f"{path} has format {data['format']}, newer than {FORMAT}, the newest known here; upgrade neuralgpu"
        )
    try:
        digests = _digests(data)
        if data["format"] < FORMAT:
            data = convert(data)
        training = data.pop("training", None)
        network = parse_network(parse(_File, data).network)
    except UserError as error:
        raise UserError(f"{path}: {error}") from None
    return RunConfig(network, training if isinstance(training, dict) else {}, *digests)


def _digests(data: dict[str, Any]) -> tuple[str, str]:
    """The digests of the network part and of the training part, before anything is converted to a newer format."""
    network, training = data.get("network"), data.get("training")
    if not isinstance(network, dict):
        return "", ""  # a format whose files have no digest
    try:
        return network_digest(network), run_digest(training if isinstance(training, dict) else {})
    except RecursionError:
        raise UserError("it is nested too deeply; take the file as `ngpu train` wrote it") from None


def parse_network(data: dict[str, Any]) -> NetworkConfig:
    """A network from the network part of config.json; a UserError says what is wrong with it."""
    parts = parse(_Network, data)
    kind = parts.model.pop("kind", None)
    if not isinstance(kind, str):
        raise UserError(f"the model's kind is {kind!r}; it must be a text such as 'neural-gpu'")
    return NetworkConfig(parts.task, parts.alphabet, parts.tape, parts.steps, parse(config_class(kind), parts.model))


def setting_values(config: RunConfig) -> dict[str, Any]:
    """Every setting in config.json by name, those of groups as `fit.learning_rate`; for those who compare runs."""
    network, training = config.network.to_dict(), dict(config.training)
    training.pop("network", None)
    settings = training.pop("settings", {})
    return _flat({**network.pop("model"), **network, **(settings if isinstance(settings, dict) else {}), **training})


def _flat(tree: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    leaves: dict[str, Any] = {}
    for name, value in tree.items():
        leaves |= _flat(value, f"{prefix}{name}.") if isinstance(value, dict) else {prefix + name: value}
    return leaves


def read_json(path: Path) -> Any:
    """The content of a JSON file; a UserError names the file and what is wrong with it."""
    try:
        if path.exists() and not path.is_file():  # a pipe would wait for ever
            raise UserError(f"{path} is not a file; name a run directory made by `ngpu train`")
        return json.loads(path.read_bytes())
    except UserError:  # a ValueError too
        raise
    except (FileNotFoundError, NotADirectoryError):
        raise UserError(f"{path} does not exist; name a run directory made by `ngpu train`") from None
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None
    except RecursionError:
        raise UserError(f"{path} is nested too deeply; take the file as `ngpu train` wrote it") from None
    except ValueError as error:  # no JSON, or no UTF-8
        raise UserError(f"{path} is not valid JSON: {str(error)[:120]}") from None


def parse(kind: type[Part], data: dict[str, Any]) -> Part:
    """A dataclass from plain data: every field must be there, with its type, and nothing else."""
    _forbid_others(kind)
    for name in _missing(kind, data):
        raise UserError(f"{name!r} is missing; every key is written by `ngpu train`")
    try:
        return TypeAdapter(kind).validate_json(json.dumps(data))
    except ValidationError as error:
        raise UserError(_first_problem(error, kind)) from None
    except RecursionError:
        raise UserError("it is nested too deeply; take the file as `ngpu train` wrote it") from None


def _missing(kind: Any, data: dict[str, Any], within: str = "") -> Iterator[str]:
    """The fields that plain data lacks, those of the dataclasses inside included."""
    for one in fields(kind):
        value, inner = data.get(one.name), get_type_hints(kind)[one.name]
        if one.name not in data:
            yield within + one.name
        elif is_dataclass(inner) and isinstance(value, dict):
            yield from _missing(inner, value, f"{within}{one.name}.")


def _forbid_others(kind: Any) -> None:
    """Let pydantic take nothing but the fields of a dataclass and of those inside it, and convert no types."""
    kind.__pydantic_config__ = ConfigDict(extra="forbid", strict=True)
    for inner in filter(is_dataclass, get_type_hints(kind).values()):
        _forbid_others(inner)


def _first_problem(error: ValidationError, kind: Any) -> str:
    problem = error.errors()[0]
    place = ".".join(str(part) for part in problem["loc"] if part not in KINDS_OF_ALPHABET) or "the file"
    if problem["type"] in ("extra_forbidden", "unexpected_keyword_argument"):
        *groups, name = map(str, problem["loc"])
        for group in groups:
            kind = get_type_hints(kind)[group]
        return f"unknown setting {place!r}; {nearest(name, sorted(f.name for f in fields(kind)))}"
    if problem["type"] == "value_error":  # one of our own
        return str(problem["ctx"]["error"])
    return f"{place}: {problem['msg']}"
