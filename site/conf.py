"""Sphinx's configuration for the documentation site: `make site` builds it from the Markdown files where they are, into dist/site.

README.md is its first page. The navigation is `SECTIONS`: a page that is in none of them fails the build.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

from sphinx.application import Sphinx

ROOT = Path(__file__).parents[1]
SECTIONS = {
    "Start": ("docs/quick-start", "docs/install", "docs/how-to", "docs/troubleshooting"),
    "How-to for readers": ("docs/answers", "docs/voc"),
    "How-to for administrators": ("docs/administration", "docs/accounts", "docs/collections", "docs/experiments", "docs/confluence"),
    "How-to for operators": ("docs/models", "docs/deploy", "docs/operations", "docs/backup", "docs/upgrade", "SECURITY"),
    "How-to for integrators": ("docs/clients", "docs/python"),
    "How-to for contributors": ("CONTRIBUTING", "docs/engines", "docs/lambda"),
    "Concepts": ("docs/concepts", "docs/architecture"),
    "Reference": ("docs/api", "docs/cli", "docs/settings", "site/python", "docs/limits", "docs/benchmarks", "CHANGELOG", "NOTICE"),
    "Decisions": ("docs/decisions/*",),
}

# For the docstrings. Footnote's own libraries come last: some are also Sphinx's, in another version.
sys.path.insert(0, str(ROOT / "layers/common"))
sys.path += map(str, ROOT.glob(".venv/lib/python*/site-packages"))

project = "Footnote"
version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
root_doc = "README"
include_patterns = ["*.md", "docs/**.md", "site/*.md"]
exclude_patterns = [".*", "**/node_modules", "data", "dist"]
extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_heading_anchors = 4
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
suppress_warnings = ["misc.highlighting_failure"]  # a part of a TOML file is no TOML
html_theme = "furo"
html_title = f"Footnote {version}"
html_search_scorer = str(ROOT / "site/scorer.js")
html_copy_source = False
html_show_copyright = False
pygments_style = "friendly"


LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?:|#)([^)#\s]+)\)")


def prepare(app: Sphinx, name: str, source: list[str]) -> None:
    """Turns links to files that are no pages, such as source code, into their text. Adds the navigation to the first page."""
    folder = (ROOT / name).parent

    def text_of(link: re.Match[str]) -> str:
        target = (folder / link[2]).resolve()
        is_page = str(target.relative_to(ROOT).with_suffix("")) in app.project.docnames
        return link[1] if target.exists() and not is_page else link[0]

    source[0] = LINK.sub(text_of, source[0])
    if name == root_doc:
        for caption, pages in SECTIONS.items():
            source[0] += f"\n```{{toctree}}\n:hidden:\n:glob:\n:caption: {caption}\n" + "\n".join(pages) + "\n```\n"


def show_blocks(app: Sphinx, what: str, name: str, of: object, options: object, lines: list[str]) -> None:
    """Shows the indented blocks of a docstring as they are: examples and tables."""
    for at in reversed(range(2, len(lines))):
        if lines[at].startswith("    ") and not lines[at - 1] and not lines[at - 2].startswith(" "):
            lines.insert(at - 1, "")
            lines.insert(at, "::")


def name_the_first_page(app: Sphinx, failed: Exception | None) -> None:
    """Serves the first page at the site's address, too."""
    if not failed and app.builder.format == "html":
        first = Path(app.outdir, app.builder.get_target_uri(root_doc))
        first.with_name("index.html").write_bytes(first.read_bytes())


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.connect("source-read", prepare)
    app.connect("autodoc-process-docstring", show_blocks)
    app.connect("build-finished", name_the_first_page)
