"""`ngpu run`: a network's answers to inputs given as text."""

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import tyro
from numpy.typing import NDArray

from neuralgpu.cli.arguments import parse
from neuralgpu.cli.input import NotationArguments, questions, told
from neuralgpu.engine import EngineChoice
from neuralgpu.tasks import PAD, Task
from neuralgpu.tasks.spoken import Question

if TYPE_CHECKING:
    from neuralgpu.network import Network

DESCRIPTION = """Let a network answer inputs given as arguments, one a line on standard input, or typed at a prompt.
Numbers are decimal where they have digits that the task does not; else they are written least significant digit first,
as the network sees them. The exit code is 1 if an answer is wrong.

examples:
  ngpu run bmul '6 * 10'
  ngpu run badd 1010+0111 11+1
  ngpu run badd --big-endian 110+1
  ngpu run copy 0110 1 10101
  cat inputs.txt | ngpu run sort --json
"""


@dataclass(frozen=True)
class RunArguments:
    """Which network, and the inputs."""

    network: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="NETWORK")]
    """a name that `ngpu models` lists, or a run directory"""
    inputs: Annotated[tuple[str, ...], tyro.conf.Positional] = ()
    """inputs; none reads lines from standard input, or asks at a terminal"""
    numbers: Annotated[NotationArguments, tyro.conf.arg(name="")] = field(default_factory=NotationArguments)
    engine: EngineChoice = "auto"
    """what computes the steps; auto takes the native engine where it is built and fits the model"""
    device: str = "cpu"
    """where torch computes: cpu, cuda or mps"""
    json: bool = False
    """print one JSON object a line"""


def main(arguments: Sequence[str]) -> int:
    """Answer each input; the exit code is 1 if an answer is wrong."""
    args = parse(RunArguments, "run", DESCRIPTION, arguments)

    from neuralgpu.network import load

    network = load(args.network, args.engine, device=args.device)
    all_right = True
    for answer in _answers(network, questions(network.task, args.inputs, args.numbers.notation)):
        print(json.dumps(answer) if args.json else _line(answer), flush=True)
        if answer["settled"] is False and not args.json:
            print("ngpu: this answer did not settle: the network still changed it in its last steps", file=sys.stderr)
        all_right &= answer["correct"] is not False
    return 0 if all_right else 1


def _answers(network: "Network", asked: Iterable[Question]) -> Iterable[dict[str, Any]]:
    from neuralgpu.cli.bars import steps_progress

    task = network.task
    for question in asked:
        text = told(question).text
        with steps_progress("thinking") as progress:
            tapes, settled = network.answers_settled(task.encode(text), progress)
        tape = tapes[0]
        output, expected = task.read(tape), task.answer(text)
        wrong = None if expected is None else _first_wrong(task, tape, task.encode_answer(text)[0])
        yield {
            "input": text,
            "output": output,
            "expected": expected,
            "correct": None if expected is None else wrong is None,
            "first_wrong_cell": wrong,
            "settled": None if settled is None else bool(settled[0]),
            "explanation": task.explain(text, output),
            "asked": question.given,
            "answer": question.in_its_notation(output),
            "right_answer": None if expected is None else question.in_its_notation(expected),
        }


def _first_wrong(task: Task, tape: NDArray[np.int64], target: NDArray[np.int64]) -> dict[str, Any] | None:
    """The first cell that differs from the one that would be right, with what both hold; None is an empty cell."""
    for cell, pair in enumerate(zip(tape, target, strict=True)):
        got, expected = (None if symbol == PAD else task.alphabet[symbol - 1] for symbol in pair)
        if got != expected:
            return {"cell": cell, "got": got, "expected": expected}
    return None


def _line(answer: dict[str, Any]) -> str:
    notes = [note for note in (answer["explanation"], _verdict(answer)) if note]
    return f"{answer['answer']}   ({', '.join(notes)})" if notes else answer["answer"]


def _verdict(answer: dict[str, Any]) -> str | None:
    """Whether the answer is right; where only what follows it is wrong, this is said."""
    if answer["correct"] is None:
        return None
    if answer["correct"]:
        return "correct"
    if answer["output"] != answer["expected"]:
        return f"wrong, {answer['right_answer']} would be right"
    wrong = answer["first_wrong_cell"]
    got, expected = (repr(wrong[name]) if wrong[name] else "nothing" for name in ("got", "expected"))
    return f"wrong after the answer: cell {wrong['cell']} holds {got}, {expected} would be right"
