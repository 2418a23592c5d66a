"""Command lines made of the declared verbs and settings: an answer, or one line of less than 300 characters."""

import contextlib
import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

from neuralgpu.cli import VERBS, main
from neuralgpu.training.config import setting_values
from neuralgpu.training.recipes import RECIPES, get_recipe

LONGEST_LINE = 300

VALUES = [
    *("0", "1", "-1", "2", "3", "0.5", "-0.0", "1e-7", "1e308", "1e9999", "inf", "-inf", "nan", "2147483648", "1" * 30),
    *(
        "9" * 5000,
        "",
        " ",
        "é",
        "\x00",
        "\n",
        "\udcff",
        "x" * 10_000,
        "None",
        "True",
        "--",
        "-",
        "[]",
        "{}",
        "(",
        "5,9",
    ),
    *("paper", "native", "cuda", "meta", "cpu", "..", "/dev/null/x", "copy", "badd", "0101", "1+1", "a.gif", "a.mp4"),
]
FLAGS = {
    "run": ["engine", "device", "json"],
    "evaluate": ["ensemble", "sizes", "count", "seed", "no-stress", "threads", "engine", "device", "json"],
    "animate": ["out", "maps", "colours", "scale", "speed", "every", "hold", "column"],
    "plot": ["out", "accuracy", "by"],
    "tasks": ["json"],
    "models": ["json"],
    "info": ["json"],
    "play": ["zoo", "port", "no-browser"],
    "sweep": ["grid", "axis", "set", "seeds", "parallel", "retries", "evaluate-sizes", "checkpoint-seconds", "engine"],
}
OF_TRAIN = [
    "seed",
    "out",
    "threads",
    "engine",
    "device",
    "checkpoint-seconds",
    "evaluate-count",
    "grid",
    "point",
    "json",
]
LAST = {
    "train": ["--evaluate-sizes", "0"],
    "sweep": ["--evaluate-sizes", "0"],
    "evaluate": ["--sizes", "3"],
    "play": ["--export", "/dev/null/x"],
}
"""What makes a command line end at once: sizes that are refused, or that are small."""


class CommandLines:
    """Command lines given to the command in this process, in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def attempt(self, rng: Random) -> str:
        """Give the command a line: "answered" or "refused"."""
        words = _words(rng)
        out, err = io.StringIO(), io.StringIO()
        with _typed(rng), _within(self.folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                main(words)
            except SystemExit as stop:
                code = stop.code
        said = err.getvalue()
        shown = [word[:60] for word in words]
        assert "Traceback" not in said, shown
        assert code in (0, 1, 2, 130), shown
        if code == 2 and words:
            assert said.count("\n") == 1, (shown, said[:500])
            assert said.startswith("ngpu: error: "), (shown, said[:500])
            assert len(said) <= LONGEST_LINE, (shown, len(said))
            return "refused"
        assert not said or code == 1, (shown, said[:500])
        return "answered"


def _words(rng: Random) -> list[str]:
    verb = rng.choice([*VERBS, "train", "train", "run", "evaluate"])
    if rng.random() < 0.02:
        return [rng.choice([*VALUES, "trian", "--help", "--version"]), *rng.choices(VALUES, k=rng.randrange(3))]
    words = [verb]
    if rng.random() < 0.9 and verb not in ("tasks", "models", "info", "play"):
        words.append(rng.choice(["copy", "copy", "badd", "sort", rng.choice(VALUES)]))
    if rng.random() < 0.7 and verb in ("run", "animate"):
        words += [rng.choice(["0101", "1+1", "0", rng.choice(VALUES)])]
    flags = FLAGS.get(verb, [])
    if verb == "train":
        recipe = rng.choice(list(RECIPES))
        words += ["--recipe", recipe]
        names = [name.replace("_", "-") for name in setting_values(get_recipe(recipe))]
        flags = [*OF_TRAIN, *names, *names]
    for _ in range(rng.randrange(4)):
        flag = rng.choice([*flags, "x"])
        if verb == "evaluate" and flag == "sizes":
            continue
        words.append(f"--{flag}")
        words += rng.choices(VALUES, k=rng.choice([0, 1, 1, 1, 1, 2]))
    return words + LAST.get(verb, [])


@contextlib.contextmanager
def _typed(rng: Random) -> Iterator[None]:
    """A standard input for commands that read it."""
    before = sys.stdin
    lines = [rng.choice([b"0101", b"1+1", b"", b"2", b"\xff\xfe", rng.randbytes(9)]) for _ in range(rng.randrange(4))]
    sys.stdin = io.TextIOWrapper(io.BytesIO(b"\n".join(lines)))
    try:
        yield
    finally:
        sys.stdin = before


@contextlib.contextmanager
def _within(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
