"""Reads the objects of OpenDocument files, which are documents of their own within the package: charts, equations, embedded files."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from footnote.ingest.parse.decode import spaced
from footnote.ingest.parse.drawing import number
from footnote.ingest.parse.embedded import embedded_object
from footnote.ingest.parse.package import Element, Package, attr, child, count, local, parse_xml
from footnote.ingest.parse.table import to_markdown
from footnote.types import Block, FileWithin

_MAX_COLUMNS = 100
_MAX_ROWS = 1_000
"""Maximum rows of a chart that are listed; a curve of measured values is useless as text."""


class Objects:
    """The embedded objects of a file."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self.files: dict[str, FileWithin] = {}  # folder or part → the embedded file

    def formula(self, node: Element | None) -> str:
        """An embedded equation as text; "" for any other object. `node`: an element `object` or None."""
        math = self._root(node)
        return _equation(math) if math is not None and local(math) == "math" else ""

    def blocks(self, node: Element) -> list[Block]:
        """An equation, or a chart's titles and data."""
        root = self._root(node)
        if root is not None and local(root) == "math":
            return [Block("paragraph", text)] if (text := _equation(root)) else []
        chart = child(root, "body", "chart", "chart")
        return list(_chart(chart)) if chart is not None else []

    def embed(self, node: Element, page: int | None) -> None:
        """Adds the file that an object contains to `files`, unless the object is a chart or an equation. `page`: that it stands on."""
        root = self._root(node) if local(node) == "object" else None
        if root is not None and (local(root) == "math" or child(root, "body", "chart") is not None):
            return
        href = attr(node, "href") or ""
        if file := embedded_object(self._package, href, page):
            self.files[href] = file

    def _root(self, node: Element | None) -> Element | None:
        if node is None:
            return None
        if (math := child(node, "math")) is not None:
            return math  # written in the document itself
        folder = posixpath.normpath(attr(node, "href") or "")
        return self._package.xml(f"{folder}/content.xml") if folder not in (".", "") else None


def _equation(math: Element) -> str:
    """The equation as text, by the reader of web pages; its names have no prefixes."""
    from lxml import etree
    from selectolax.lexbor import LexborHTMLParser

    from footnote.ingest.parse.mathml import written

    root = parse_xml(etree.tostring(math))  # a copy
    for each in root.iter("{*}*"):
        each.tag = local(each)
    found = LexborHTMLParser(etree.tostring(root, encoding="unicode", method="html")).css_first("math")
    return spaced(written(found)) if found is not None else ""


def _chart(chart: Element) -> Iterator[Block]:
    """A chart's titles as captions and its data as a table."""
    for title in (*chart.iterfind("{*}title"), *chart.iterfind("{*}subtitle")):
        if text := spaced(" ".join("".join(p.itertext()) for p in title.iter("{*}p"))):
            yield Block("caption", text)
    table = child(chart, "table")
    rows = [_row(row) for row, _ in zip(table.iter("{*}table-row"), range(_MAX_ROWS), strict=False)] if table is not None else []
    if any(map(any, rows)):
        yield Block("table", to_markdown(rows))


def _row(row: Element) -> list[str]:
    cells: list[str] = []
    for cell in row:
        if local(cell) == "table-cell":
            text = number(spaced(" ".join("".join(p.itertext()) for p in cell.iterfind("{*}p"))))
            cells += ["" if text == "nan" else text] * min(count(cell, "number-columns-repeated", _MAX_COLUMNS), _MAX_COLUMNS - len(cells))
    return cells
