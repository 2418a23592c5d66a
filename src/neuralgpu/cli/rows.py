"""Rows of plain data as CSV."""

import csv
from collections.abc import Mapping, Sequence
from typing import Any, TextIO


def write_csv(file: TextIO, rows: Sequence[Mapping[str, Any]]) -> None:
    """A line of headings, then a line for each row; every row has the same names, and None is empty."""
    if rows:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
