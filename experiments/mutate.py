"""Change one operator, comparison or constant at a time, and see whether a test notices.

    make mutate                                       a sample of 300, as listed in experiments/armour/mutants.json
    python experiments/mutate.py --count 20 --seed 3

A change is tried in a copy of the package, against the tests of its room that name its module, until one fails. What
nothing noticed is listed, with the line.
"""

import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import tyro

from neuralgpu.runs.files import write_atomically

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "neuralgpu"
ROOMS = ("tasks", "models", "training", "evaluation", "runs")
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
}
COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}


@dataclass(frozen=True)
class Arguments:
    """How many changes, and where the list goes."""

    count: int = 300
    seed: int = 0
    """decides which are taken"""
    rooms: tuple[str, ...] = ROOMS
    seconds: float = 120.0
    """after which a change counts as noticed: it made something endless"""
    out: Path = ROOT / "experiments" / "armour" / "mutants.json"


@dataclass(frozen=True)
class Change:
    """One node of a module that is changed."""

    path: Path
    number: int
    """of the node among those of its module that can be changed"""

    def apply(self) -> tuple[str, int, str, str]:
        """The module's new text, the line, and the expression before and after."""
        tree = ast.parse(self.path.read_text())
        node = changeable(tree)[self.number]
        before = ast.unparse(node)
        change(node)
        return ast.unparse(tree), node.lineno, before, ast.unparse(node)


Changeable = ast.BinOp | ast.Compare | ast.BoolOp | ast.UnaryOp | ast.Constant


def changeable(tree: ast.AST) -> list[Changeable]:
    """The nodes that can be changed: not those of type hints, which nothing computes."""
    hints = {id(inner) for node in ast.walk(tree) for hint in hints_of(node) for inner in ast.walk(hint)}
    return [node for node in ast.walk(tree) if id(node) not in hints and is_changeable(node)]  # type: ignore[misc]


def hints_of(node: ast.AST) -> list[ast.AST]:
    hints = [getattr(node, "annotation", None), getattr(node, "returns", None)]
    return [hint for hint in hints if hint is not None]


def is_changeable(node: ast.AST) -> bool:
    if isinstance(node, ast.BinOp):
        texts = any(isinstance(side, ast.Constant | ast.JoinedStr) for side in (node.left, node.right))
        return type(node.op) in ARITHMETIC and not (texts and isinstance(node.op, ast.Mod))
    if isinstance(node, ast.Compare):
        return len(node.ops) == 1 and type(node.ops[0]) in COMPARISONS
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.Not)
    return isinstance(node, ast.BoolOp) or (isinstance(node, ast.Constant) and type(node.value) in (int, float, bool))


def change(node: Changeable) -> None:
    """Change a node in place."""
    if isinstance(node, ast.BinOp):
        node.op = ARITHMETIC[type(node.op)]()
    elif isinstance(node, ast.Compare):
        node.ops = [COMPARISONS[type(node.ops[0])]()]
    elif isinstance(node, ast.BoolOp):
        node.op = ast.And() if isinstance(node.op, ast.Or) else ast.Or()
    elif isinstance(node, ast.UnaryOp):
        node.op, node.operand = ast.Not(), ast.UnaryOp(ast.Not(), node.operand)
    elif isinstance(node.value, bool):
        node.value = not node.value
    elif isinstance(node.value, int | float):
        node.value = node.value + 1 if isinstance(node.value, int) else node.value * 2 + 0.5


def main() -> None:
    args = tyro.cli(Arguments, description=__doc__)
    modules = [path for room in args.rooms for path in sorted((PACKAGE / room).glob("*.py"))]  # recipes are values
    every = [Change(path, number) for path in modules for number in range(len(changeable(ast.parse(path.read_text()))))]
    chosen = random.Random(args.seed).sample(every, min(args.count, len(every)))
    endings: Counter[str] = Counter()
    survivors: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name) / "src"
        shutil.copytree(ROOT / "src", copy)
        for tried, one in enumerate(chosen, 1):
            text, line, before, after = one.apply()
            place = copy / one.path.relative_to(ROOT / "src")
            whole = place.read_text()
            place.write_text(text)
            noticed = is_noticed(copy, one.path, args.seconds)
            place.write_text(whole)
            endings["noticed" if noticed else "survived"] += 1
            if not noticed:
                where = f"{one.path.relative_to(PACKAGE)}:{line}"
                survivors.append({"where": where, "before": before[:120], "after": after[:120]})
                print(survivors[-1], flush=True)
            counts = {"possible": len(every), "tried": tried, **endings}
            command = {"command": "make mutate", "seed": args.seed}
            content = json.dumps({**command, **counts, "survivors": survivors}, indent=2)
            write_atomically(args.out, (content + "\n").encode())


def is_noticed(source: Path, module: Path, seconds: float) -> bool:
    """Whether a test of a changed module fails, or does not end."""
    environment = {**os.environ, "PYTHONPATH": f"{source}:{ROOT / 'tests'}", "OMP_NUM_THREADS": "1"}
    options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:doctest", "--override-ini", "addopts="]
    command = [sys.executable, "-m", "pytest", *options, *tests_of(module)]
    try:
        done = subprocess.run(
            command,
            env=environment,
            cwd=ROOT,
            capture_output=True,
            timeout=seconds,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0


def tests_of(module: Path) -> list[str]:
    """The test files of the module's room that name it, or else all of its room's; the slow ones last."""
    room, name = module.parent.relative_to(PACKAGE).parts[0], module.stem
    files = sorted((ROOT / "tests" / room).rglob("test_*.py"))
    dotted = ".".join(module.relative_to(PACKAGE.parent).with_suffix("").parts)
    named = [file for file in files if name in file.stem or dotted in file.read_text()]
    quick = [file for file in named or files if file.stem not in ("test_resume", "test_learning", "test_same_weights")]
    return [str(file) for file in quick or files]


if __name__ == "__main__":
    main()
