"""The files around the code say the same as the code."""

import re
import tomllib
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def read_yaml(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text())


def test_what_is_cited_is_this_version_under_this_licence() -> None:
    citation = read_yaml("CITATION.cff")
    assert (citation["version"], citation["license"]) == (PROJECT["version"], PROJECT["license"])
    assert [author["name"] for author in citation["authors"]] == [author["name"] for author in PROJECT["authors"]]


def test_the_hooks_do_what_make_lint_does() -> None:
    makefile = (ROOT / "Makefile").read_text()
    recipe = re.search(r"^lint:.*\n((?:\t.*\n)+)", makefile, flags=re.MULTILINE)
    assert recipe
    commands = recipe[1].replace("\t", "").replace("$(BIN)", ".venv/bin").splitlines()
    (repository,) = read_yaml(".pre-commit-config.yaml")["repos"]
    assert [hook["entry"] for hook in repository["hooks"]] == commands


def test_the_workflow_runs_what_a_newcomer_runs() -> None:
    steps = read_yaml(".github/workflows/test.yml")["jobs"]["test"]["steps"]
    assert {"run": "make test"} in steps


def test_links_of_the_package_lead_to_pages_that_are_there() -> None:
    pages = [link for link in PROJECT["urls"].values() if "://" not in link]
    assert [page for page in pages if not (ROOT / page).exists()] == []
