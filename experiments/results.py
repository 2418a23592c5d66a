"""The page of all results, made of what the experiments wrote; nothing on it is typed by hand.

python experiments/results.py            write docs/claims.md
python experiments/results.py --check    say whether the page is what the results make
python experiments/results.py --list     the experiments, with their minutes where they are known
"""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import tyro

from neuralgpu.errors import UserError
from neuralgpu.evaluation.report import Report
from neuralgpu.runs.config import read_json

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "claims.md"


@dataclass(frozen=True)
class Arguments:
    """What to do with the results."""

    check: bool = False
    """compare the page with the results"""
    list: bool = False
    """list the experiments"""


def main() -> None:
    args = tyro.cli(Arguments, description=__doc__)
    if args.list:
        print("\n".join(listed()))
    elif not args.check:
        PAGE.write_text(page())
    elif PAGE.read_text() != page():
        raise UserError(f"{PAGE} is not what the results make; run: python experiments/results.py")


def claims() -> list[Path]:
    """The experiments on single claims of the paper."""
    return sorted(path for path in (HERE / "claims").glob("*.py"))


def listed() -> Iterator[str]:
    """A line for each experiment: its command, the minutes of its trainings so far, and what it is about."""
    minutes = sum(trained_minutes(path) for path in (HERE / "table1").glob("*.json"))
    yield f"python experiments/table1.py           {minutes:.0f} minutes of training so far    Table 1"
    for path in claims():
        claim = path.read_text().split('"""')[1].splitlines()[0].removeprefix("Claim: ")
        state = "a result is there" if result(path).exists() else "no result so far"
        yield f"python experiments/claims/{path.name:<12} {state}    {claim}"


def trained_minutes(path: Path) -> float:
    """How long the training behind a report took."""
    return float((Report.from_dict(read_json(path)).training or {}).get("minutes", 0))


def result(script: Path) -> Path:
    """What an experiment on a claim writes."""
    return script.with_suffix(".json")


def page() -> str:
    """docs/claims.md."""
    parts = [
        "# Results",
        "Made by `python experiments/results.py` from the results in `experiments/`; each has its command.",
        "## Table 1 of the paper",
        "`python experiments/table1.py`",
        (HERE / "table1.md").read_text().strip(),
        "![exact outputs against size](../experiments/table1.svg)",
    ]
    for path in map(result, claims()):
        if path.exists():
            parts += claim_parts(json.loads(path.read_text()))
    return "\n\n".join(parts) + "\n"


def claim_parts(found: dict[str, str]) -> list[str]:
    """The section of one claim."""
    return [f"## {found['claim']}", f"`{found['command']}`", found["finding"]]


if __name__ == "__main__":
    try:
        main()
    except UserError as error:
        sys.exit(f"error: {error}")
