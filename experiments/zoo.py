"""Score a trained network and put it into the zoo.

    python experiments/zoo.py badd runs/badd-exact-0
    python experiments/zoo.py copy-paper runs/copy-paper-0 --long 4001:5
    python experiments/zoo.py copy-paper --sizes 401          score what the zoo has on more inputs

Writes src/neuralgpu/zoo/NAME: the configuration and weights of the run, evaluation.json with every score, and README.md
made from it. Scores that evaluation.json already has are kept, so that a call that was cut can be repeated. A `note`
added to the training part of evaluation.json by hand is kept too and goes into README.md.
"""

import json
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import tyro

from neuralgpu import Network, load, zoo
from neuralgpu.cli.tables import evaluate_with_progress
from neuralgpu.evaluation.report import Report
from neuralgpu.runs.config import read_json
from neuralgpu.runs.files import write_atomically
from neuralgpu.tasks import Task


@dataclass(frozen=True)
class Arguments:
    """Which network, and how much it is asked."""

    name: Annotated[str, tyro.conf.Positional]
    """its name in the zoo"""
    run: Annotated[Path | None, tyro.conf.Positional] = None
    """its run directory; none: it is in the zoo already"""
    sizes: tuple[int, ...] = ()
    """sizes with `count` random inputs each; by default those of 41, 51, 201 and 401 symbols"""
    count: int = 1000
    """random inputs at each of them"""
    long: tuple[str, ...] = ()
    """more sizes, each with its own number of random inputs; by default that of 4001 symbols with 100"""
    seed: int = 1
    """decides the inputs; training looks at none of this seed"""


def main() -> None:
    args = tyro.cli(Arguments, description=__doc__)
    home = zoo.HERE / args.name
    path = home / "evaluation.json"
    report = put_into(home, args.run, args.seed) if args.run else Report.from_dict(read_json(path))
    network = load(home)
    for size, count in asked(network.task, args):
        report = with_scores(report, network, size, count, args.seed)
        write_atomically(path, (json.dumps(report.to_dict(), indent=2) + "\n").encode())
        (home / "README.md").write_text(readme(args.name, network, report))
        print(f"{size} {network.task.unit}: in {path}", flush=True)


def asked(task: Task, args: Arguments) -> list[tuple[int, int]]:
    """Sizes, each with its number of random inputs."""
    sizes = args.sizes or tuple(task.largest_size(cells) for cells in (41, 51, 201, 401))
    pairs = [(int(size), int(count)) for size, count in (pair.split(":") for pair in args.long)]
    if not (args.sizes or pairs):
        pairs = [(task.largest_size(4001), 100)]
    return [(size, args.count) for size in sizes] + pairs


def put_into(home: Path, run: Path, seed: int) -> Report:
    """Copy the network of a run into the zoo; its report, with the scores of an earlier call for the same run."""
    home.mkdir(exist_ok=True)
    ended = Report.from_dict(read_json(run / "evaluation.json"))
    report = replace(ended, evaluation_seed=seed, scores=())
    path = home / "evaluation.json"
    if path.exists():
        old = Report.from_dict(read_json(path))
        note = {"note": old.training["note"]} if old.training and "note" in old.training else {}
        if old.training == {**(report.training or {}), **note}:
            report = old
    for file in ("config.json", "model.safetensors"):
        shutil.copyfile(run / file, home / file)
    return report


def with_scores(report: Report, network: Network, size: int, count: int, seed: int) -> Report:
    """The report with scores at one size, unless it has them with as many inputs."""
    if any(score.count >= count for score in report.scores if score.size == size):
        return report
    others = [score for score in report.scores if score.size != size]
    new = evaluate_with_progress(network, size, count, seed).scores
    return replace(report, scores=tuple(sorted((*others, *new), key=lambda score: (score.size, score.inputs))))


def readme(name: str, network: Network, report: Report) -> str:
    training = report.training or {}
    note = f" {training['note']}" if "note" in training else ""
    spent = f"{training['minutes']} minutes, {training['steps']} steps"
    return f"""# {name}

A network with {network.parameters:,} parameters that learned `{report.task}` from examples of at most 41 symbols:

```
{training["command"]}
```

{spent}, engine {training["engine"]}, threads: {training["threads"]}.{note}

```
ngpu run {name} '{network.task.example()}'
```

Scores on inputs of seed {report.evaluation_seed}, which training did not look at; exact means every cell right:

{report.markdown()}

Made by `python experiments/zoo.py {name} RUN`; evaluation.json has the same figures with counter-examples.
"""


if __name__ == "__main__":
    main()
