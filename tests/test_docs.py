"""The site builds without a warning, and finds what people look for."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import neuralgpu

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("site")
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning", "--keep-going", str(DOCS), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return path


def test_every_page_is_part_of_the_site(site: Path) -> None:
    pages = [path for path in DOCS.rglob("*.md") if "_build" not in path.parts]
    assert all((site / path.relative_to(DOCS)).with_suffix(".html").exists() for path in pages)


def test_it_can_be_searched(site: Path) -> None:
    assert "relax" in (site / "searchindex.js").read_text()


def test_the_reference_has_every_public_name(site: Path) -> None:
    page = (site / "api.html").read_text()
    assert [name for name in neuralgpu.__all__ if f'id="neuralgpu.{name}"' not in page] == []


@pytest.mark.parametrize("name", ["cgru", "gates", "convolve", "sigma", "drop"])
def test_the_code_of_an_equation_is_one_click_away(name: str, site: Path) -> None:
    page = (site / "paper.html").read_text()
    code = "_modules/neuralgpu/models/neural_gpu.html"
    assert f'href="{code}#{name}"' in page
    assert f'id="{name}"' in (site / code).read_text()


def test_every_finding_names_entries_of_the_log(site: Path) -> None:
    findings = (DOCS / "what-we-know.md").read_text().split("\n### ")[1:]
    assert len(findings) >= 20
    assert [text.partition("\n")[0] for text in findings if "research-log.md#entry-" not in text] == []


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_links_within_the_repository_lead_somewhere(page: str) -> None:
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", (ROOT / page).read_text())
    assert [link for link in links if not (ROOT / link).exists()] == []
