"""Score a shipped network on a few random inputs far beyond the paper's 2000 bits.

    python experiments/beyond.py badd 20000

Writes experiments/beyond/NAME-SIZE.json. An addition of 20,000 bits takes some minutes.
"""

import json
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import tyro

from neuralgpu import evaluate, load


@dataclass(frozen=True)
class Arguments:
    """What is asked."""

    name: Annotated[str, tyro.conf.Positional]
    """a network of `ngpu models`"""
    size: Annotated[int, tyro.conf.Positional]
    """bits or symbols"""
    count: int = 1
    """random inputs"""
    seed: int = 1
    """decides them"""


def main() -> None:
    args = tyro.cli(Arguments, description=__doc__)
    begun = time.monotonic()
    report = evaluate(load(args.name), args.size, args.count, args.seed, stress=False)
    report = replace(report, training={"network": args.name, "evaluation_seconds": round(time.monotonic() - begun)})
    path = Path(__file__).with_suffix("") / f"{args.name}-{args.size}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(report.to_dict(), indent=2) + "\n")
    score = report.scores[0]
    print(f"{score.exact}/{score.count} exact; written to {path}")


if __name__ == "__main__":
    main()
