"""The tables of README.md and the site are those of the committed results."""

from pathlib import Path

import pytest

import tables
from neuralgpu import zoo


@pytest.mark.parametrize("page", tables.PAGES, ids=lambda page: page.name)
def test_a_page_has_the_tables_that_the_results_give(page: Path) -> None:
    assert tables.filled(page.read_text()) == page.read_text()


@pytest.mark.parametrize("name", zoo.names())
def test_every_shipped_network_has_a_row(name: str) -> None:
    assert f"| `{name}` |" in tables.shipped()


def test_every_table_stands_on_a_page() -> None:
    pages = "".join(page.read_text() for page in tables.PAGES)
    assert all(f"<!-- table: {name} -->" in pages for name in tables.TABLES)


def test_the_figure_is_drawn(tmp_path: Path) -> None:
    tables.draw(tmp_path / "figure.svg")
    drawn = (tmp_path / "figure.svg").read_text()
    assert "ours" in drawn
    assert "stack-RNN (paper)" in drawn
