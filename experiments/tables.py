"""Make the tables of README.md and docs/results.md, and their figure, from the results that are committed.

    python experiments/tables.py             write the tables
    python experiments/tables.py --figure    draw docs/images/accuracy.svg too

A table stands between two comments that name it. Figures come from src/neuralgpu/zoo/*/evaluation.json,
experiments/*_recipe/TASK-SEED.json and experiments/published.json, and from nowhere else.
"""

import argparse
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from neuralgpu import zoo
from neuralgpu.evaluation.report import Report
from neuralgpu.runs.config import read_json
from neuralgpu.tasks import get_task

ROOT = Path(__file__).parent.parent
PAGES = (ROOT / "README.md", ROOT / "docs" / "results.md")
FIGURE = ROOT / "docs" / "images" / "accuracy.svg"
LENGTHS = (41, 401, 4001)
"""The tapes that results are given for, in cells of the tasks' own: 20, 200 and 2000 bits."""
PAPER = ("badd", "bmul", "copy", "reverse", "duplicate", "sort")
"""The tasks of the paper, in its order."""

Row = tuple[str, ...]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--figure", action="store_true", help="draw docs/images/accuracy.svg too")
    arguments = parser.parse_args()
    for page in PAGES:
        page.write_text(filled(page.read_text()))
    if arguments.figure:
        draw(FIGURE)


def filled(text: str) -> str:
    """A page with its tables made anew."""

    def table(found: re.Match[str]) -> str:
        return f"{found[1]}\n{TABLES[found[2]]()}\n{found[3]}"

    return re.sub(r"(<!-- table: (\w+) -->)\n.*?(<!-- end of table -->)", table, text, flags=re.DOTALL)


def shipped() -> str:
    """Every network of the zoo."""
    rows = [_shipped_row(name) for name in sorted(zoo.names(), key=_place)]
    return markdown(("network", "taught by", "minutes", "weights", "looked at", *_headings()), rows)


def best() -> str:
    """The networks of the paper's tasks, a row each."""
    rows = [_shipped_row(name) for name in PAPER if name in zoo.names()]
    kept = [(row[0], f"{row[1]}, {row[2]} min", row[4], *row[5:]) for row in rows]
    return markdown(("task", "taught by", "looked at", *_headings()), kept)


def seeds() -> str:
    """What each recipe gives over seeds, none of which is left out."""
    rows = []
    for folder, task, reports in trained_over_seeds():
        minutes = [report.training["minutes"] for report in reports if report.training]
        for size in sorted(set.intersection(*({score.size for score in report.scores} for report in reports))):
            scores = {
                kind: [
                    score for report in reports for score in report.scores if (score.size, score.inputs) == (size, kind)
                ]
                for kind in ("random", "stress")
            }
            counts = [
                f"{sum(score.exact == score.count for score in scores[kind])} of {len(reports)}, "
                f"{sum(score.exact for score in scores[kind])}/{sum(score.count for score in scores[kind])}"
                if scores[kind]
                else "not asked"
                for kind in ("random", "stress")
            ]
            span = f"{min(minutes):g} to {max(minutes):g}"
            rows.append((f"`{task}`", f"`{folder}`", span, f"{size} {reports[0].unit}", *counts))
    headings = ("task", "recipe", "minutes", "size", "seeds without an error, random", "the same, stress")
    return markdown(headings, rows)


def published() -> str:
    """The paper's table 1."""
    data = read_json(ROOT / "experiments" / "published.json")
    rows = []
    for task in ("badd", "bmul"):
        for system, shares in data[task].items():
            cells = [f"{shares[bits]:.0%}" if bits in shares else "" for bits in ("20", "25", "100", "200", "2000")]
            rows.append((f"`{task}`", system, *cells))
    return markdown(("task", "system", *(f"{bits} bits" for bits in (20, 25, 100, 200, 2000))), rows)


TABLES = {"shipped": shipped, "best": best, "seeds": seeds, "published": published}


def trained_over_seeds() -> Iterable[tuple[str, str, list[Report]]]:
    """Recipe, task and the reports of its seeds, where there are three or more that were asked the same."""
    for folder in sorted((ROOT / "experiments").glob("*_recipe")):
        found: dict[str, list[Report]] = {}
        for path in sorted(folder.glob("*-*.json")):
            if re.fullmatch(r"[\w+]+-\d+", path.stem):
                found.setdefault(path.stem.rpartition("-")[0], []).append(Report.from_dict(read_json(path)))
        for task, reports in found.items():
            if len(reports) >= 3:
                yield folder.name.removesuffix("_recipe").replace("_", "-"), task, reports


def markdown(headings: Row, rows: Sequence[Row]) -> str:
    """A table in Markdown."""
    lines = [headings, ("---",) * len(headings), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def draw(path: Path) -> None:
    """Exact accuracy against size: what the paper reports, and ours."""
    import matplotlib
    from matplotlib.figure import Figure
    from matplotlib.ticker import NullLocator, PercentFormatter

    from neuralgpu.view.figures import COLOURS, STYLE, save_figure

    data = read_json(ROOT / "experiments" / "published.json")
    sizes, looks = (20, 25, 100, 200, 2000), {"Neural GPU": "--", "stack-RNN": ":", "LSTM+A": "-."}
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8.0, 3.6), layout="constrained")
        for panel, task in zip(figure.subplots(1, 2, sharey=True), ("badd", "bmul"), strict=True):
            for colour, (system, line) in zip(COLOURS[1:], looks.items(), strict=False):
                shares = {int(bits): share for bits, share in data[task].get(system, {}).items()}
                panel.plot(list(shares), list(shares.values()), line, color=colour, lw=2, label=f"{system} (paper)")
            bits, exact = zip(*sorted(_ours(task).items()), strict=True)
            panel.plot(bits, exact, "o-", color=COLOURS[0], lw=1.2, clip_on=False, label="ours")
            panel.axvline(20, color="#8c8c8c", lw=1, ls=":")
            panel.set_xscale("log")
            panel.set_xticks(sizes, [str(size) if size != 25 else "" for size in sizes])
            panel.xaxis.set_minor_locator(NullLocator())
            panel.set_xlabel("bits of each number")
            panel.set_title(task, fontsize=10)
            panel.set_ylim(0, 1.03)
            panel.yaxis.set_major_formatter(PercentFormatter(xmax=1))
        figure.axes[0].set_ylabel("exact outputs")
        figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=4, fontsize=9)
        save_figure(figure, path)


def _ours(task: str) -> dict[int, float]:
    """The share of exact outputs for random inputs at each size: over five seeds of `exact`, or by the shipped one."""
    found = [
        reports for recipe, of, reports in trained_over_seeds() if (recipe, of, len(reports)) == ("exact", task, 5)
    ]
    reports = found[0] if found else [Report.from_dict(read_json(zoo.HERE / task / "evaluation.json"))]
    scores = [score for report in reports for score in report.scores if score.inputs == "random"]
    return {
        size: sum(s.exact for s in scores if s.size == size) / sum(s.count for s in scores if s.size == size)
        for size in {score.size for score in scores}
    }


def _headings() -> Row:
    return "20 bits, 41 symbols", "200 bits, 401 symbols", "2000 bits, 4001 symbols"


def _shipped_row(name: str) -> Row:
    report = Report.from_dict(json.loads((zoo.HERE / name / "evaluation.json").read_text()))
    training: dict[str, Any] = dict(report.training or {})
    task, scores = get_task(report.task), {(score.size, score.inputs): score for score in report.scores}

    def cell(length: int) -> str:
        found = [scores.get((task.largest_size(length), kind)) for kind in ("random", "stress")]
        counts = [f"{score.exact}/{score.count}" for score in found if score]
        return " + ".join(counts) or "not asked"

    recipe = re.search(r"--recipe (\S+)", training["command"])
    weights = f"{training['parameters']:,}" if "parameters" in training else ""
    fixed = (f"`{name}`", f"`{recipe[1] if recipe else 'paper'}`", str(training["minutes"]), weights, _looked_at(name))
    return (*fixed, *map(cell, LENGTHS))


def _looked_at(name: str) -> str:
    """What longer than training decided about the weights, by the configuration."""
    settings = read_json(zoo.HERE / name / "config.json")["training"].get("settings", {})
    exam = settings.get("exam", {})
    task = get_task(read_json(zoo.HERE / name / "config.json")["network"]["task"])
    trained = task.largest_size(LENGTHS[0])
    size = round(exam["times"] * trained) if "times" in exam else task.largest_size(exam.get("length", LENGTHS[0]))
    if not exam.get("inputs") or size <= trained:
        return "nothing longer"
    return f"exams of {size} {task.unit}"


def _place(name: str) -> tuple[bool, int, str]:
    """The paper's tasks in the paper's order, those taught by its recipe after them."""
    task = name.partition("-")[0]
    return "-" in name, PAPER.index(task) if task in PAPER else len(PAPER), name


if __name__ == "__main__":
    main()
