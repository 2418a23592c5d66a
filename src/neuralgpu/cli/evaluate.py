"""`ngpu evaluate`: how often a network is right."""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from neuralgpu.cli.arguments import parse
from neuralgpu.cli.rows import write_csv
from neuralgpu.engine import EngineChoice
from neuralgpu.errors import UserError

if TYPE_CHECKING:
    from neuralgpu.evaluation.report import Report
    from neuralgpu.network import Network

DESCRIPTION = """Score a network on inputs of given sizes: whole outputs that are exact, PAD included, with a 95 %
bound, and single symbols. Besides random inputs there are stress inputs: zeros, long carries, palindromes and the like.

examples:
  ngpu evaluate badd
  ngpu evaluate badd --sizes 20 200 --count 1000
  ngpu evaluate reverse --sizes 4001 --count 10 --json
  ngpu evaluate runs/badd-paper-0 --ensemble runs/badd-paper-1 runs/badd-paper-2
  ngpu evaluate runs/pairs-exact-0 --data test.tsv     the inputs of a file, with the answers that it gives
"""


@dataclass(frozen=True)
class EvaluateArguments:
    """What to evaluate, and how."""

    network: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="NETWORK")]
    """a name that `ngpu models` lists, or a run directory"""
    ensemble: tuple[str, ...] = ()
    """more networks of the same task; the outputs of all are averaged"""
    sizes: tuple[int, ...] = ()
    """sizes in the task's own unit: bits or digits of an operand, symbols of a sequence; by default what 41, 51, 81,
    201 and 401 cells hold, which is 20 25 40 100 200 for arithmetic"""
    count: int = 100
    """random inputs at each size"""
    data: Path | None = None
    """score the inputs in this file instead, by the answers beside them: TSV, CSV, or JSON lines with `input` and
    `answer`"""
    seed: int = 0
    """decides the inputs"""
    stress: bool = True
    """score stress inputs too"""
    threads: int = 0
    """CPU threads; 0 takes all cores"""
    engine: EngineChoice = "auto"
    """what computes the steps; auto takes the native engine where it is built and fits the model"""
    device: str = "cpu"
    """where torch computes: cpu, cuda or mps"""
    json: bool = False
    """print JSON, counter-examples included"""
    csv: bool = False
    """print CSV, a row for each size and kind of inputs"""


def main(arguments: Sequence[str]) -> int:
    """Evaluate and print."""
    args = parse(EvaluateArguments, "evaluate", DESCRIPTION, arguments)

    if args.json and args.csv:
        raise UserError("--json does not go with --csv; choose one of the two")
    from neuralgpu.cli.tables import evaluate_with_progress, print_report
    from neuralgpu.evaluation.sizes import usual_sizes
    from neuralgpu.network import Ensemble, load

    networks = [load(path, args.engine, args.threads, args.device) for path in (args.network, *args.ensemble)]
    network = Ensemble(networks) if args.ensemble else networks[0]
    if args.data is not None:
        report = _on_file(network, args.data, args.sizes)
    else:
        sizes = args.sizes or usual_sizes(network.task)
        report = evaluate_with_progress(network, sizes, args.count, args.seed, args.stress)
    if args.json:
        print(json.dumps(report.to_dict()))
    elif args.csv:
        write_csv(sys.stdout, report.records())
    else:
        print_report(report)
    return 0


def _on_file(network: "Network", path: Path, sizes: Sequence[int]) -> "Report":
    """The report on the inputs of a file, of these sizes or of all."""
    from neuralgpu.cli.tables import evaluation_progress
    from neuralgpu.evaluation.score import evaluate_pairs
    from neuralgpu.tasks.examples import read_examples

    task = network.task
    pairs = []
    for line, text, answer in read_examples(path, words=not isinstance(task.alphabet, str), learned=False).examples:
        try:
            size = task.size(text)
            if sizes and size not in sizes:
                continue
            task.encode_answer(text, answer)
        except UserError as error:
            raise UserError(f"{path}: line {line}: {error}") from None
        pairs.append((text, answer))
    if not pairs:
        raise UserError(f"{path} has no inputs of size {', '.join(map(str, sizes))}")
    with evaluation_progress(task.unit) as progress:
        return evaluate_pairs(network, pairs, progress=progress)
