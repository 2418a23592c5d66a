"""A task of one's own: a class, module or file in Python with `alphabet`, `random(rng, size)` and `answer(text)`."""

import sys
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from neuralgpu.errors import UserError
from neuralgpu.tasks.fitting import fit_tape, rule
from neuralgpu.tasks.source import Source, read_source
from neuralgpu.tasks.symbols import obstacle as obstacle_of
from neuralgpu.tasks.symbols import split
from neuralgpu.tasks.tape import Tape
from neuralgpu.tasks.task import Task

SMALLEST = 3
"""Symbols of the smallest input that is asked for."""
TRIED = range(SMALLEST, 19)
"""Sizes of the inputs that tell how long answers are, and whether all is well with a task."""
TRIED_OF_EACH = 8
REMEDY = "`ngpu tasks --template my_task.py` writes one to start from"


class OwnTask(Task):
    """What someone wrote, as a task; whatever goes wrong in it is told with the function and the input."""

    def __init__(self, maker: Any, where: str) -> None:
        """`maker` has the names that `own_task` asks for; `where` stands before what is wrong with it."""
        self._maker, self._where = maker, where
        self._nearest: dict[int, int] = {}
        for function in ("random", "answer"):
            if not callable(getattr(maker, function, None)):
                arguments = "rng, size" if function == "random" else "text"
                raise UserError(f"{where} has no {function}({arguments}); {REMEDY}")
        self.name = self._text("name", Path(where).stem if "." in where else where)
        self.unit = self._text("unit", "symbols")
        alphabet = getattr(maker, "alphabet", None)
        if not isinstance(alphabet, str | list | tuple) or not all(isinstance(symbol, str) for symbol in alphabet):
            raise UserError(f"{where}: alphabet is {alphabet!r}; it must be a text such as '01', or a list of words")
        self.alphabet = alphabet if isinstance(alphabet, str) else tuple(alphabet)
        if obstacle := obstacle_of(self.alphabet):
            raise UserError(f"{where}: alphabet is {alphabet!r}: {obstacle}")
        self.tape = self._tape_of(getattr(maker, "tape", None))

    def random(self, rng: np.random.Generator, size: int) -> str:
        """What the maker's `random` gives."""
        return self._checked(self._call("random", rng, size), f"random(rng, {size})")

    def answer(self, text: str) -> str:
        """What the maker's `answer` gives."""
        self.size(text)
        return self._checked(self._call("answer", text), f"answer({text!r})", empty=True)

    def stress(self, size: int, rng: np.random.Generator) -> dict[str, str]:
        """What the maker's `stress` gives, of those inputs that have this size; without it none, because nobody knows
        what else is an input."""
        if not callable(getattr(self._maker, "stress", None)):
            return {}
        found, called = self._call("stress", size, rng), f"stress({size}, rng)"
        if not isinstance(found, Mapping):
            if isinstance(found, str) or not isinstance(found, Sequence):
                raise UserError(f"{self._where}: {called} gives {found!r}; it must be a list of inputs")
            found = {f"stress {number}": text for number, text in enumerate(found, start=1)}
        texts = {str(name): self._checked(text, called) for name, text in found.items()}
        return {name: text for name, text in texts.items() if self.size(text) == size}

    def nearest_size(self, size: int) -> int:
        """The symbols of the input that `random` makes when it is asked for this size, which it may not have."""
        size = max(size, SMALLEST)
        if size not in self._nearest:
            found = self.size(self.random(np.random.default_rng(size), size))
            if found != size and self.size(self.random(np.random.default_rng(size), found)) != found:
                raise UserError(
                    f"{self._where}: random(rng, {size}) gives {found} {self.unit}, and random(rng, {found}) another "
                    "number; it must give as many as it is asked for, where there are such inputs, or else a few less"
                )
            self._nearest[size] = found
        return self._nearest[size]

    def summary(self) -> list[str]:
        """What the task is, in lines."""
        example = self.example()
        return [
            f"{self._where}: task {self.name}, alphabet {' '.join(self.alphabet)}",
            f"tape: {rule(self.tape)}",
            f"example: {example!r} has the answer {self.answer(example)!r}",
        ]

    def _call(self, function: str, *arguments: Any) -> Any:
        """What a function of the maker returns; a UserError tells its failure."""
        try:
            return getattr(self._maker, function)(*arguments)
        except UserError:
            raise
        except Exception as error:
            shown = ", ".join("rng" if isinstance(part, np.random.Generator) else repr(part) for part in arguments)
            line = _line(error, self._where)
            raise UserError(
                f"{self._where}: {line}{function}({shown}) fails: {type(error).__name__}: {_one_line(error)}"
            ) from error

    def _checked(self, text: Any, called: str, empty: bool = False) -> str:
        """What a function gave, if it is a text of the alphabet."""
        if not isinstance(text, str):
            raise UserError(f"{self._where}: {called} gives {text!r}; it must be a text such as {str(text)!r}")
        symbols = split(str(text), self.alphabet)
        if not symbols and not empty:
            raise UserError(f"{self._where}: {called} gives an empty text; an input has at least one symbol")
        strange = next((symbol for symbol in symbols if symbol not in self.alphabet), None)
        if strange is not None:
            raise UserError(
                f"{self._where}: {called} gives {str(text)!r}, and {strange!r} is not in the alphabet: "
                f"{' '.join(self.alphabet)}"
            )
        return str(text)

    def _text(self, name: str, otherwise: str) -> str:
        text = getattr(self._maker, name, otherwise)
        if not isinstance(text, str) or not text.strip() or "/" in text:
            raise UserError(f"{self._where}: {name} is {text!r}; it must be a short text")
        return text

    def _tape_of(self, given: Any) -> Tape:
        """The tape that the maker asks for, or the shortest that holds the answers to some inputs of several sizes."""
        if isinstance(given, Tape):
            return given
        if given is not None:
            factor, extra = given if isinstance(given, tuple) and len(given) == 2 else (given, 0)
            if isinstance(factor, int | float) and isinstance(extra, int):
                return Tape(float(factor), extra)
            raise UserError(
                f"{self._where}: tape is {given!r}; it must be cells for each symbol of the input, such as 2"
            )
        rng, lengths = np.random.default_rng(0), []
        for size in TRIED:
            for _ in range(TRIED_OF_EACH):
                text = self.random(rng, size)
                lengths.append(tuple(len(split(part, self.alphabet)) for part in (text, self.answer(text))))
        try:
            return fit_tape(lengths)  # type: ignore[arg-type]  # pairs they are
        except UserError as error:
            raise UserError(f"{self._where}: {error}") from None


def own_task(maker: Any, where: str = "") -> Task:
    """The task that an object stands for: a Task, a class of it or of its own, or anything with an `alphabet`,
    `random(rng, size)` and `answer(text)`, such as a module. `name`, `unit`, `tape` and `stress(size, rng)` are
    optional.

    >>> class Flip:
    ...     alphabet = "01"
    ...
    ...     def random(self, rng, size):
    ...         return "".join(rng.choice(list("01"), size))
    ...
    ...     def answer(self, text):
    ...         return text.translate(str.maketrans("01", "10"))
    >>> task = own_task(Flip)
    >>> task.name, task.answer("0010")
    ('Flip', '1101')
    """
    if isinstance(maker, type):
        where = where or maker.__name__
        try:
            maker = maker()
        except Exception as error:
            raise UserError(f"{where}: {maker.__name__}() fails: {type(error).__name__}: {_one_line(error)}") from error
    if isinstance(maker, Task):
        return maker
    return OwnTask(maker, where or getattr(maker, "__name__", type(maker).__name__))


def open_own(path: Path, taken: frozenset[str] = frozenset()) -> Task:
    """The task in a file of Python, which is run; a UserError says what is wrong with it."""
    content = read_source(path)
    module = _run(path, content)
    task = own_task(_maker(module, path), str(path))
    task.source = Source.of(path, content)
    if task.name in taken:
        raise UserError(f"{path}: name is {task.name!r}, which is a task of `ngpu tasks`; give it another name")
    return task


def _run(path: Path, content: bytes) -> ModuleType:
    """The module that a file makes."""
    module = ModuleType(f"own_task_{path.stem}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module
    try:
        exec(compile(content, str(path), "exec"), module.__dict__)
    except SyntaxError as error:
        raise UserError(f"{path}: line {error.lineno}: {error.msg}") from None
    except Exception as error:
        raise UserError(f"{path}: {_line(error, str(path))}{type(error).__name__}: {_one_line(error)}") from error
    return module


def _maker(module: ModuleType, path: Path) -> Any:
    """What a file says the task is: the module itself, or the one class in it."""
    if callable(getattr(module, "random", None)) and callable(getattr(module, "answer", None)):
        return module
    classes = [
        found
        for found in vars(module).values()
        if isinstance(found, type) and found.__module__ == module.__name__ and hasattr(found, "answer")
    ]
    if len(classes) > 1:
        names = " and ".join(found.__name__ for found in classes)
        raise UserError(f"{path} has several tasks, {names}; put each into a file of its own")
    if not classes:
        raise UserError(f"{path} has no functions random(rng, size) and answer(text), nor a class with them; {REMEDY}")
    return classes[0]


def _line(error: Exception, file: str) -> str:
    """Where in the file an error arose, if it did."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return f"line {lines[-1]}: " if lines else ""


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
