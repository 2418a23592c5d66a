"""`ngpu run`: a network's answers to inputs given as text."""

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from neuralgpu.cli.arguments import parse
from neuralgpu.engine import EngineChoice
from neuralgpu.errors import UserError

if TYPE_CHECKING:
    from neuralgpu.network import Network

DESCRIPTION = """Let a network answer inputs given as arguments, or one a line on standard input.
Numbers are written least significant digit first, as the network sees them.

examples:
  ngpu run badd 1010+0111
  ngpu run copy 0110 1 10101
  cat inputs.txt | ngpu run sort --json
"""


@dataclass(frozen=True)
class RunArguments:
    """Which network, and the inputs."""

    network: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="NETWORK")]
    """a name that `ngpu models` lists, or a run directory"""
    inputs: Annotated[tuple[str, ...], tyro.conf.Positional] = ()
    """inputs; none reads lines from standard input"""
    engine: EngineChoice = "auto"
    """what computes the steps; auto takes the native engine where it is built and fits the model"""
    json: bool = False
    """print one JSON object a line"""


def main(arguments: Sequence[str]) -> int:
    """Answer each input; the exit code is 1 if an answer is wrong."""
    args = parse(RunArguments, "run", DESCRIPTION, arguments)

    from neuralgpu.network import load

    network = load(args.network, args.engine)
    for text in args.inputs:
        network.task.size(text)  # a bad input stops before any work is done
    all_right = True
    for answer in _answers(network, args.inputs or _lines(network)):
        print(json.dumps(answer) if args.json else _line(answer), flush=True)
        all_right &= answer["correct"]
    return 0 if all_right else 1


def _lines(network: "Network") -> Iterable[str]:
    empty = True
    for number, line in enumerate(sys.stdin, start=1):
        empty = False
        try:
            network.task.size(line.strip())
        except UserError as error:
            raise UserError(f"line {number}: {error}") from None
        yield line.strip()
    if empty:
        raise UserError(f"no input; {network.task.name} takes text like {network.task.example()!r}")


def _answers(network: "Network", texts: Iterable[str]) -> Iterable[dict[str, Any]]:
    task = network.task
    for text in texts:
        tape = network.answers(task.encode(text))
        output = task.read(tape[0])
        yield {
            "input": text,
            "output": output,
            "expected": task.answer(text),
            "correct": bool((tape == task.encode_answer(text)).all()),
            "explanation": task.explain(text, output),
        }


def _line(answer: dict[str, Any]) -> str:
    verdict = "correct" if answer["correct"] else f"wrong, {answer['expected']} would be right"
    notes = [note for note in (answer["explanation"], verdict) if note]
    return f"{answer['output']}   ({', '.join(notes)})"
