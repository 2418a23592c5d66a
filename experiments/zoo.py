"""Score a trained network and put it into the zoo.

    python experiments/zoo.py badd runs/badd-addition-0
    python experiments/zoo.py bmul runs/bmul-wide-0 runs/bmul-wide-1 runs/bmul-wide-2
    python experiments/zoo.py copy-paper runs/copy-paper-0 --long 4001:5
    python experiments/zoo.py copy-paper --lengths 401          score what the zoo has on more inputs

Writes src/neuralgpu/zoo/NAME: the configuration and weights of the run, evaluation.json with every score, and README.md
made from it. Several runs are joined to one network. Scores that evaluation.json already has are kept, so that a call
that was cut can be repeated. A `note` added to evaluation.json by hand is kept too and goes into README.md.
"""

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import tyro

from neuralgpu import zoo
from neuralgpu.cli.tables import evaluate_sizes, percent
from neuralgpu.joining import join
from neuralgpu.network import Network, load
from neuralgpu.training.checkpoint import write_atomically
from neuralgpu.training.config import load_config, train_command


@dataclass(frozen=True)
class Arguments:
    """Which network, and how much it is asked."""

    name: Annotated[str, tyro.conf.Positional]
    """its name in the zoo"""
    runs: Annotated[tuple[Path, ...], tyro.conf.Positional] = ()
    """its run directory, or those of the networks that it is joined of; none: it is in the zoo already"""
    lengths: tuple[int, ...] = (41, 51, 201, 401)
    """tape lengths with `count` random inputs each"""
    count: int = 1000
    """random inputs at each of them"""
    long: tuple[str, ...] = ("4001:100",)
    """more lengths, each with its own number of random inputs"""
    seed: int = 1
    """decides the inputs; training looks at none of this seed"""


def main() -> None:
    args = tyro.cli(Arguments, description=__doc__)
    home = zoo.HERE / args.name
    path = home / "evaluation.json"
    report = put_into(home, args) if args.runs else json.loads(path.read_text())
    network = load(home)
    asked = [(length, args.count) for length in args.lengths]
    asked += [(int(length), int(count)) for length, count in (pair.split(":") for pair in args.long)]
    for length, count in asked:
        add_scores(report, network, network.task.largest_size(length), count, args.seed)
        write_atomically(path, (json.dumps(report, indent=2) + "\n").encode())
        (home / "README.md").write_text(readme(args.name, network, report))
        print(f"length {length} is in {path}", flush=True)


def put_into(home: Path, args: Arguments) -> dict[str, Any]:
    """Copy the network of the runs into the zoo; its report, with the scores of an earlier call for the same runs."""
    home.mkdir(exist_ok=True)
    report = describe(args.runs) | {"evaluation_seed": args.seed, "scores": []}
    path = home / "evaluation.json"
    if path.exists() and (old := json.loads(path.read_text())) | {"scores": []} == report | _note(old):
        report = old
    with TemporaryDirectory() as workplace:
        source = args.runs[0]
        if len(args.runs) > 1:
            join(args.runs, source := Path(workplace) / "joined")
        for file in ("config.json", "model.safetensors"):
            shutil.copyfile(source / file, home / file)
    return report


def _note(report: dict[str, Any]) -> dict[str, Any]:
    """What was added to a report by hand."""
    return {"note": report["note"]} if "note" in report else {}


def describe(runs: Sequence[Path]) -> dict[str, Any]:
    """Where the weights come from; the steps and minutes of several runs are added up."""
    configs = [load_config(run / "config.json") for run in runs]
    ends = [json.loads((run / "metrics.jsonl").read_text().splitlines()[-1]) for run in runs]
    networks = [load(run) for run in runs]
    commands = [train_command(config) for config in configs]
    if len(runs) > 1:
        where = [f"runs/{config.task}-{config.recipe}-{config.seed}" for config in configs]
        commands.append(f"ngpu join {' '.join(where)} --out runs/{configs[0].task}-joined")
    return {
        "task": configs[0].task,
        "unit": networks[0].task.unit,
        "command": "\n".join(commands),
        "engine": configs[0].engine,
        "threads": configs[0].threads,
        "steps": sum(end["step"] for end in ends),
        "minutes": round(sum(end["seconds"] for end in ends) / 60, 1),
        "parameters": sum(weight.numel() for network in networks for weight in network.model.parameters()),
    }


def add_scores(report: dict[str, Any], network: Network, size: int, count: int, seed: int) -> None:
    """Score one size, unless the report has it with as many inputs."""
    here = [score for score in report["scores"] if score["size"] == size]
    if any(score["count"] >= count for score in here):
        return
    others = [score for score in report["scores"] if score["size"] != size]
    new = [score.to_dict() for score in evaluate_sizes(network, [size], count, seed)]
    report["scores"] = sorted(others + new, key=lambda score: (score["size"], score["inputs"]))


def readme(name: str, network: Network, report: dict[str, Any]) -> str:
    note = f" {report['note']}" if "note" in report else ""
    trainings = report["command"].count("ngpu train")
    spent = f"{report['minutes']} minutes, {report['steps']} steps" + (
        f" in {trainings} trainings" if trainings > 1 else ""
    )
    rows = [
        f"| {score['size']} | {score['length']} | {score['inputs']} | {score['exact']}/{score['count']} | "
        + ("" if score["exact_bound_95"] is None else f"> {percent(score['exact_bound_95'])}")
        + f" | {percent(score['symbol_share'])} |"
        for score in report["scores"]
    ]
    return f"""# {name}

A network with {report["parameters"]:,} parameters that learned `{report["task"]}` from examples of at most 41 symbols:

```
{report["command"]}
```

{spent}, engine {report["engine"]}, threads: {report["threads"]}.{note}

```
ngpu run {name} '{network.task.example()}'
```

Scores on inputs of seed {report["evaluation_seed"]}, which training did not look at; exact means every cell right:

| {report["unit"]} | length | inputs | exact | 95 % bound | symbols right |
|---|---|---|---|---|---|
{chr(10).join(rows)}

Made by `python experiments/zoo.py {name} RUN`; evaluation.json has the same figures with counter-examples.
"""


if __name__ == "__main__":
    main()
