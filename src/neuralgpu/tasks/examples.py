"""Files of examples: an input and its answer on each line, as TSV, CSV or JSON lines, read and checked."""

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from neuralgpu.errors import UserError
from neuralgpu.tasks.source import Source, read_source
from neuralgpu.tasks.symbols import Alphabet, split

MOST_SYMBOLS = 255
"""Different symbols in a file; each has its own weights to learn."""
COLUMNS = ("input", "answer")
"""The header of a TSV or CSV file, and the keys of JSON lines."""


class Example(NamedTuple):
    """An input and its answer."""

    line: int
    """where it stands in the file, from 1"""
    input: str
    answer: str


@dataclass(frozen=True)
class Examples:
    """What a file holds, each example once."""

    path: Path
    source: Source
    examples: Sequence[Example]
    repetitions: int
    """lines that say again what an earlier one said"""
    alphabet: Alphabet


def read_examples(path: Path, words: bool = False, learned: bool = True) -> Examples:
    """The examples of a file; a UserError names the line that is wrong. A file that is `learned` has several symbols.

    The name's ending tells the format: .csv, .jsonl or .json, and else a tab between input and answer. A symbol is a
    character, or a word between spaces. An answer may be empty; an input may not.
    """
    content = read_source(path)
    text = _decoded(path, content)
    rows = _FORMATS.get(path.suffix.lower(), _tsv)(path, text)
    found: dict[str, Example] = {}
    repetitions = 0
    for line, first, second in rows:
        if words:
            first, second = " ".join(first.split()), " ".join(second.split())
        example = Example(line, first, second)
        _check(path, example, words)
        known = found.setdefault(first, example)
        if known.answer != second:
            raise UserError(
                f"{path}: lines {known.line} and {line} give two answers to {_short(first)}: "
                f"{_short(known.answer)} and {_short(second)}; an input has one"
            )
        repetitions += known.line != line
    if not found:
        raise UserError(f"{path} has no examples; give an input, a tab and an answer on each line")
    alphabet = _alphabet(path, list(found.values()), words, learned)
    return Examples(path, Source.of(path, content, words), list(found.values()), repetitions, alphabet)


def _alphabet(path: Path, examples: Sequence[Example], words: bool, learned: bool) -> Alphabet:
    """Every symbol of the file, in the order of their characters' numbers."""
    kind: Alphabet = () if words else ""
    seen: dict[str, int] = {}
    for line, first, second in examples:
        for text in (first, second):
            for symbol in split(text, kind):
                seen.setdefault(symbol, line)
    if len(seen) == 1 and learned:
        (symbol, line), *_ = seen.items()
        raise UserError(f"{path}: line {line}: {symbol!r} is the only symbol of the file; there is nothing to learn")
    if len(seen) > MOST_SYMBOLS:
        symbol, line = list(seen.items())[MOST_SYMBOLS]
        raise UserError(
            f"{path}: line {line}: {symbol!r} is symbol {MOST_SYMBOLS + 1} of the file; at most {MOST_SYMBOLS} "
            "different ones can be learned"
        )
    return tuple(sorted(seen)) if words else "".join(sorted(seen))


def _check(path: Path, example: Example, words: bool) -> None:
    """Refuse an example that cannot stand on a tape."""
    if not example.input:
        raise UserError(f"{path}: line {example.line}: the input is empty; give at least one symbol")
    for text in () if words else example[1:]:
        place = next((place for place, symbol in enumerate(text) if symbol.isspace()), None)
        if place is not None:
            raise UserError(
                f"{path}: line {example.line}: {_short(text)} has {_space(text[place])} at position {place}, which is "
                "no symbol; write another character such as _ for it, or give --words where spaces separate symbols"
            )


def _space(character: str) -> str:
    return "a space" if character == " " else repr(character)


def _decoded(path: Path, content: bytes) -> str:
    """The text of a file; a mark of its byte order is left out."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        place = error.start - (content.rfind(b"\n", 0, error.start) + 1) + 1
        raise UserError(
            f"{path}: line {line}: byte {place} is {content[error.start]:#04x}, which is not UTF-8; save it as UTF-8"
        ) from None


Rows = Iterator[tuple[int, str, str]]


def _tsv(path: Path, text: str) -> Rows:
    """A tab between input and answer; a header may stand above."""
    for line, row in enumerate(io.StringIO(text, newline=None), start=1):
        fields = row.removesuffix("\n").split("\t")
        if fields == [""] or (line == 1 and tuple(field.lower() for field in fields) == COLUMNS):
            continue
        if len(fields) != 2:
            found = "no tab" if len(fields) == 1 else f"{len(fields) - 1} tabs"
            raise UserError(f"{path}: line {line} has {found}; give an input, one tab and an answer")
        yield line, *fields  # type: ignore[misc]


def _csv(path: Path, text: str) -> Rows:
    """Two columns, or those that a header names."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    places, width = (0, 1), 2
    before = 0
    try:
        for number, row in enumerate(reader):
            line, before = before + 1, reader.line_num
            if not row:
                continue
            lower = [field.strip().lower() for field in row]
            if not number and set(COLUMNS) <= set(lower):
                places, width = (lower.index("input"), lower.index("answer")), len(row)
                continue
            if len(row) != width:
                raise UserError(
                    f"{path}: line {line} has {len(row)} columns, not {width}; give an input and an answer, or a "
                    "header that names them"
                )
            yield line, row[places[0]], row[places[1]]
    except csv.Error as error:
        raise UserError(f"{path}: line {reader.line_num} is not valid CSV: {error}") from None


def _json(path: Path, text: str) -> Rows:
    """An object with `input` and `answer` on each line."""
    for line, row in enumerate(text.split("\n"), start=1):
        if not row.strip():
            continue
        try:
            data = json.loads(row)
        except (ValueError, RecursionError) as error:
            raise UserError(f"{path}: line {line} is not valid JSON: {str(error)[:120]}") from None
        if not isinstance(data, dict):
            raise UserError(f'{path}: line {line} is no object; give {{"input": "...", "answer": "..."}}')
        for name in COLUMNS:
            if not isinstance(data.get(name), str):
                what = f"is {data[name]!r}" if name in data else "is missing"
                raise UserError(f"{path}: line {line}: {name!r} {what}; it must be a text")
        yield line, data["input"], data["answer"]


_FORMATS = {".csv": _csv, ".jsonl": _json, ".ndjson": _json, ".json": _json}


def _short(text: str) -> str:
    """A text in quotes that fits on a line."""
    return repr(text if len(text) <= 40 else f"{text[:37]}...")
