"""`ngpu evaluate`: how often a network is right."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import tyro
from rich.console import Console

from neuralgpu.cli.arguments import parse
from neuralgpu.engine import EngineChoice

DESCRIPTION = """Score a network on inputs of given sizes: whole outputs that are exact, PAD included, with a 95 %
bound, and single symbols. Besides random inputs there are stress inputs: zeros, long carries, palindromes and the like.

examples:
  ngpu evaluate badd
  ngpu evaluate badd --sizes 20 200 --count 1000
  ngpu evaluate reverse --lengths 4001 --count 10 --json
  ngpu evaluate runs/badd-paper-0 --ensemble runs/badd-paper-1 runs/badd-paper-2
"""


@dataclass(frozen=True)
class EvaluateArguments:
    """What to evaluate, and how."""

    network: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="NETWORK")]
    """a name that `ngpu models` lists, or a run directory"""
    ensemble: tuple[str, ...] = ()
    """more networks of the same task; the outputs of all are averaged"""
    sizes: tuple[int, ...] = ()
    """sizes in the task's own unit: digits of an operand, or symbols"""
    lengths: tuple[int, ...] = ()
    """lengths of the tape in cells; without sizes or lengths: 41 51 81 201 401"""
    count: int = 100
    """random inputs at each size"""
    seed: int = 0
    """decides the inputs"""
    threads: int = 0
    """CPU threads; 0 takes all cores"""
    engine: EngineChoice = "auto"
    """what computes the steps; auto takes the native engine where it is built and fits the model"""
    json: bool = False
    """print JSON, counter-examples included"""


def main(arguments: Sequence[str]) -> int:
    """Evaluate and print."""
    args = parse(EvaluateArguments, "evaluate", DESCRIPTION, arguments)

    from neuralgpu.cli.machine import use_threads
    from neuralgpu.cli.tables import chosen_sizes, counter_example_lines, evaluate_sizes, score_table
    from neuralgpu.network import Ensemble, load
    from neuralgpu.training.recipes import EVALUATION_LENGTHS

    use_threads(args.threads)
    network = load(args.network, args.engine)
    if args.ensemble:
        network = Ensemble([network, *(load(path, args.engine) for path in args.ensemble)])
    lengths = args.lengths if args.sizes or args.lengths else EVALUATION_LENGTHS
    scores = evaluate_sizes(network, chosen_sizes(network.task, args.sizes, lengths), args.count, args.seed)
    if args.json:
        print(json.dumps({"task": network.task.name, "seed": args.seed, "scores": [s.to_dict() for s in scores]}))
        return 0
    Console().print(score_table(network.task, scores))
    for line in counter_example_lines(scores):
        print(line)
    return 0
