"""Table 1 of the paper: exact outputs of the Neural GPU and of its baselines, on sizes up to 2000 bits.

    python experiments/table1.py                                    train and score whatever is missing, write the table
    python experiments/table1.py --columns stack-rnn --seeds 0 1 2 3 4
    python experiments/table1.py --networks exact:bmul=bmul stack-rnn:badd=runs/mine
    python experiments/table1.py --counts 2000:2 --no-train         with the trainings that are done already

A column takes the networks that --networks names for it, run directories or shipped networks; where none is named it
trains one for each seed, in runs/TASK-RECIPE-SEED, and goes on there where an earlier call was cut. The score of each
network is a report, experiments/table1/TASK-COLUMN-NAME.json, and sizes that it has already are not scored again. The
table is made of all reports there: experiments/table1.md, table1.json and table1.svg.
"""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import tyro
from matplotlib.figure import Figure

from neuralgpu import Network, evaluate, load, resume, train
from neuralgpu.errors import UserError, nearest
from neuralgpu.evaluation.report import Report, Score, floor_percent, percent
from neuralgpu.runs.config import load_config, read_json
from neuralgpu.runs.files import write_atomically
from neuralgpu.training.config import with_settings
from neuralgpu.training.recipes import get_recipe
from neuralgpu.view.figures import save_figure
from neuralgpu.zoo import locate

HERE = Path(__file__).parent
ROWS = {"badd": (20, 25, 100, 200, 2000), "bmul": (20, 25, 200, 2000)}
"""The tasks of the table and their sizes in bits."""


@dataclass(frozen=True)
class Column:
    """A model of the table, and what the paper has for it."""

    title: str
    recipe: str
    paper: Mapping[str, tuple[int, ...]]
    """per cent exact in the paper at the sizes of each task, the best of 729 runs"""
    tasks: tuple[str, ...] = ("badd", "bmul")


NEURAL_GPU = {"badd": (100,) * 5, "bmul": (100,) * 4}
COLUMNS = {
    "neural-gpu": Column("Neural GPU of the paper (`paper-muon`)", "paper-muon", NEURAL_GPU),
    "exact": Column("our default (`exact`)", "exact", {}),
    "stack-rnn": Column("stack-RNN", "stack-rnn", {"badd": (100, 100, 88, 0, 0)}, ("badd",)),
    "lstm-attention": Column("LSTM+A", "lstm-attention", {"badd": (100, 73, 0, 0, 0), "bmul": (0, 0, 0, 0)}),
}
COLOURS = ("#0072b2", "#009e73", "#e69f00", "#d55e00")


@dataclass(frozen=True)
class Arguments:
    """What goes into the table."""

    columns: tuple[str, ...] = tuple(COLUMNS)
    """columns to train and score"""
    tasks: tuple[str, ...] = tuple(ROWS)
    """their tasks"""
    networks: tuple[str, ...] = ()
    """trained networks, each as COLUMN:TASK=PATH"""
    seeds: tuple[int, ...] = (0, 1, 2)
    """seeds of the networks that are trained"""
    train: bool = True
    """train networks that are missing; else only finished ones are scored"""
    settings: tuple[str, ...] = ()
    """settings of the trainings that differ from the recipes', such as max_steps=100"""
    counts: tuple[str, ...] = ()
    """random inputs at a size, such as 2000:5; by default 100 at each, and 5 at 2000"""
    sizes: tuple[int, ...] = ()
    """sizes to score; by default those of the table"""
    evaluation_seed: int = 1
    """decides the inputs; training looks at none of this seed"""
    runs: Path = Path("runs")
    """where networks are trained"""
    threads: int = 0
    """CPU threads; 0 takes all cores"""
    out: Path = HERE / "table1"
    """folder of the reports; the table stands beside it"""


def main() -> None:
    args = tyro.cli(Arguments, description=__doc__)
    for kind, names, known in (("column", args.columns, COLUMNS), ("task", args.tasks, ROWS)):
        for name in names:
            if name not in known:
                raise UserError(f"unknown {kind} {name!r}; {nearest(name, known)}")
    given, counts = given_networks(args.networks), asked_counts(args.counts)
    args.out.mkdir(parents=True, exist_ok=True)
    for name in args.columns:
        for task in (task for task in COLUMNS[name].tasks if task in args.tasks):
            for label, network, training in networks(args, name, task, given.get((name, task), [])):
                report = args.out / f"{task}-{name}-{label}.json"
                score(report, network, training, {n: counts[n] for n in args.sizes or ROWS[task]}, args.evaluation_seed)
                write_table(args.out)
    write_table(args.out)
    print((args.out.with_suffix(".md")).read_text())


def given_networks(words: Sequence[str]) -> dict[tuple[str, str], list[str]]:
    """Paths by column and task, from COLUMN:TASK=PATH."""
    found: dict[tuple[str, str], list[str]] = {}
    for word in words:
        place, equals, path = word.partition("=")
        column, _, task = place.partition(":")
        if not equals or column not in COLUMNS or task not in COLUMNS[column].tasks:
            places = ", ".join(f"{name}:{task}" for name in COLUMNS for task in COLUMNS[name].tasks)
            raise UserError(
                f"--networks has {word!r}; name a column, a task and a path: PLACE=PATH with one of {places}"
            )
        found.setdefault((column, task), []).append(path)
    return found


def asked_counts(words: Sequence[str]) -> dict[int, int]:
    """How many random inputs each size has."""
    counts = {size: 5 if size == 2000 else 100 for sizes in ROWS.values() for size in sizes}
    for word in words:
        size, _, count = word.partition(":")
        if not (size.isdecimal() and count.isdecimal() and int(count)):
            raise UserError(f"--counts has {word!r}; give a size and a number of inputs, such as 2000:5")
        counts[int(size)] = int(count)
    return counts


def networks(
    args: Arguments, column: str, task: str, given: Sequence[str]
) -> Iterator[tuple[str, Network, dict[str, Any]]]:
    """The networks of a column for a task, each with its name in the table and what is known of its training."""
    for path in given:
        found = locate(path) / "evaluation.json"
        known = Report.from_dict(read_json(found)).training if found.exists() else None
        seed = load_config(locate(path) / "config.json").training.get("seed")
        label = locate(path).resolve().name if seed is None else f"seed-{seed}"
        yield label, load(path, threads=args.threads), dict(known or {})
    recipe = COLUMNS[column].recipe
    changes = dict(word.split("=", 1) for word in args.settings)
    settings = {name: json.loads(value) for name, value in changes.items()}
    for seed in () if given else args.seeds:
        run = args.runs / f"{task}-{recipe}-{seed}"
        begun = (run / "config.json").exists()
        if not args.train and not (run / "evaluation.json").exists():
            continue
        if begun:
            network, result = resume(run, threads=args.threads or None, evaluate_count=0)
        else:
            with_settings(get_recipe(recipe), settings)  # says what is wrong with them before anything is trained
            network, result = train(task, recipe, seed, run, threads=args.threads, evaluate_count=0, **settings)
        yield f"seed-{seed}", network, dict(result.report.training or {})


def score(path: Path, network: Network, training: dict[str, Any], counts: Mapping[int, int], seed: int) -> None:
    """Bring the report of a network up to these counts, and keep it after every size."""
    task = network.task
    report = Report.from_dict(read_json(path)) if path.exists() else Report(task.name, task.unit, seed, (), training)
    for size, count in counts.items():
        if any(old.size == size and old.count >= count for old in random_scores(report)):
            continue
        new = evaluate(network, size, count, seed).scores
        kept = (old for old in report.scores if old.size != size)
        report = replace(report, scores=tuple(sorted((*kept, *new), key=lambda score: (score.size, score.inputs))))
        write_atomically(path, (json.dumps(report.to_dict(), indent=2) + "\n").encode())
        print(f"{path.stem}: {size} {task.unit}", file=sys.stderr, flush=True)


def random_scores(report: Report) -> list[Score]:
    """The scores on random inputs."""
    return [score for score in report.scores if score.inputs == "random"]


def write_table(out: Path) -> None:
    """The table of all reports in a folder, beside it: for people, for programs, and as a figure."""
    reports = read_reports(out)
    texts = {".md": markdown(reports), ".json": json.dumps(cells(reports), indent=2) + "\n"}
    for suffix, text in texts.items():
        write_atomically(out.with_suffix(suffix), text.encode())
    save_figure(figure(reports), out.with_suffix(".svg"))


def read_reports(out: Path) -> dict[str, dict[str, dict[str, Report]]]:
    """Reports by column, task and name of the network."""
    return {
        name: {
            task: {
                path.stem.removeprefix(f"{task}-{name}-"): Report.from_dict(read_json(path))
                for path in sorted(out.glob(f"{task}-{name}-*.json"))
            }
            for task in column.tasks
        }
        for name, column in COLUMNS.items()
    }


def places(tasks: Iterable[str]) -> Iterator[tuple[str, int]]:
    """The rows of these tasks."""
    return ((task, size) for task in tasks for size in ROWS[task])


def cells(reports: Mapping[str, Mapping[str, Mapping[str, Report]]]) -> list[dict[str, Any]]:
    """A cell of the table for each column, task and size: what the paper has, every network here, and the best."""
    found = []
    for name, column in COLUMNS.items():
        for task, size in places(column.tasks):
            scores = {
                label: score
                for label, report in reports[name][task].items()
                for score in random_scores(report)
                if score.size == size
            }
            best = max(scores.values(), key=lambda score: (score.exact_share, score.count), default=None)
            paper = dict(zip(ROWS[task], column.paper.get(task, ()), strict=False)).get(size)
            found.append(
                {
                    "column": name,
                    "task": task,
                    "size": size,
                    "paper_percent": paper,
                    "networks": {label: [score.exact, score.count] for label, score in scores.items()},
                    "without_error": sum(score.exact == score.count for score in scores.values()),
                    "best": None if best is None else [best.exact, best.count],
                    "best_bound": None if best is None else best.exact_bound,
                }
            )
    return found


def markdown(reports: Mapping[str, Mapping[str, Mapping[str, Report]]]) -> str:
    """The table as the paper has it, then every network."""
    by_place = {(cell["column"], cell["task"], cell["size"]): cell for cell in cells(reports)}
    lines = [
        "Exact outputs, every symbol right, on random inputs that no training looks at. The paper has the best of 729",
        "runs; here are the best network with its 95 % bound, and the number of networks without an error.",
        "",
        "| task@bits | " + " | ".join(column.title for column in COLUMNS.values()) + " |",
        "| --- |" + " --- |" * len(COLUMNS),
    ]
    for task, size in places(ROWS):
        row = [cell_text(by_place.get((name, task, size))) for name in COLUMNS]
        lines.append(f"| `{task}`@{size} | " + " | ".join(row) + " |")
    lines += [
        "",
        "Every network:",
        "",
        "| model | task | network | minutes | exact at each size |",
        "| --- |" + " --- |" * 4,
    ]
    for name, column in COLUMNS.items():
        for task, networks in reports[name].items():
            for label, report in networks.items():
                scores = ", ".join(f"{score.size}: {score.exact}/{score.count}" for score in random_scores(report))
                minutes = (report.training or {}).get("minutes", "")
                lines.append(f"| {column.title} | `{task}` | {label} | {minutes} | {scores} |")
    return "\n".join(lines) + "\n"


def cell_text(cell: Mapping[str, Any] | None) -> str:
    """What stands in a cell: ours, and the paper's where it has one."""
    if cell is None:
        return "not applicable"
    paper = "" if cell["paper_percent"] is None else f"; paper {cell['paper_percent']} %"
    if cell["best"] is None:
        return f"not scored{paper}"
    exact, count = cell["best"]
    seeds = f"{cell['without_error']} of {len(cell['networks'])}"
    share = f"{exact}/{count} = {percent(exact / count)}, > {floor_percent(cell['best_bound'])}"
    return f"{share}; {seeds} without error{paper}"


def figure(reports: Mapping[str, Mapping[str, Mapping[str, Report]]]) -> Figure:
    """Exact outputs against size: a line for each network, the best of a model bold, and the paper's as rings."""
    drawn = Figure(figsize=(9, 4), layout="constrained")
    for panel, task in zip(drawn.subplots(1, 2, sharey=True), ROWS, strict=True):
        for (name, column), colour in zip(COLUMNS.items(), COLOURS, strict=True):
            lines = [random_scores(report) for report in reports[name].get(task, {}).values()]
            best = max(lines, key=lambda scores: sum(score.exact_share for score in scores), default=None)
            for scores in lines:
                shares = [score.exact_share for score in scores]
                look = {"linewidth": 2.0, "marker": "o"} if scores is best else {"linewidth": 0.7, "alpha": 0.5}
                panel.plot([score.size for score in scores], shares, color=colour, **look)
            if task in column.paper:
                paper = [share / 100 for share in column.paper[task]]
                panel.plot(ROWS[task], paper, "o", markersize=10, markerfacecolor="none", color=colour)
            panel.plot([], [], color=colour, label=column.title.replace("`", ""))
        panel.set_xscale("log")
        panel.set_xticks(ROWS[task], [str(size) for size in ROWS[task]])
        panel.minorticks_off()
        panel.set_xlabel(f"{task}: bits; rings: the paper's best of 729")
    drawn.axes[0].set_ylabel("share of exact outputs")
    drawn.legend(*drawn.axes[0].get_legend_handles_labels(), loc="outside upper left", ncols=4, fontsize=8)
    return drawn


if __name__ == "__main__":
    try:
        main()
    except UserError as error:
        sys.exit(f"error: {error}")
