"""Score a shipped network on a few random inputs far beyond the paper's 2000 bits.

    python experiments/beyond.py badd 20000

Writes experiments/beyond/NAME-SIZE.json. An addition of 20,000 bits takes some minutes.
"""

import json
import time
from dataclasses import dataclass
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
    score = evaluate(load(args.name), args.size, args.count, args.seed)
    path = Path(__file__).with_suffix("") / f"{args.name}-{args.size}.json"
    path.parent.mkdir(exist_ok=True)
    report = {"network": args.name, "evaluation_seed": args.seed, "seconds": round(time.monotonic() - begun)}
    path.write_text(json.dumps(report | score.to_dict(), indent=2) + "\n")
    print(f"{score.exact}/{score.count} exact; written to {path}")


if __name__ == "__main__":
    main()
