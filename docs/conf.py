"""The site: `make docs` writes it into docs/_build. Pages are Markdown that reads as well without it."""

from docutils import nodes
from sphinx.application import Sphinx

project = "neuralgpu"
author = "The neuralgpu maintainers"
copyright = author  # Sphinx's own name for what stands at the foot of each page
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
exclude_patterns = ["_build"]

html_theme = "furo"
html_title = "neuralgpu"
html_show_sphinx = False
html_static_path: list[str] = []

myst_heading_anchors = 4
default_role = "code"  # in docstrings a word between backticks is code

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
autodoc_class_signature = "mixed"
python_display_short_literal_types = True


def number_entries(app: Sphinx, document: nodes.document) -> None:
    """Give each numbered entry of the research log a place to link to: `research-log.md#entry-47`."""
    if app.env.docname != "research-log":
        return
    slugs = app.env.metadata["research-log"].setdefault("myst_slugs", {})
    for entries in document.findall(nodes.enumerated_list):
        for number, entry in enumerate(entries.children, start=entries.get("start", 1)):
            name = f"entry-{number}"
            entry["ids"].append(name)
            slugs[name] = (entry.line, name, f"entry {number}")


def setup(app: Sphinx) -> dict[str, bool]:
    """What this site adds to Sphinx."""
    app.connect("doctree-read", number_entries)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
