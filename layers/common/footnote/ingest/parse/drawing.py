"""Reads charts and diagrams of Office files, which are separate parts of the package."""

from __future__ import annotations

import re

from footnote.ingest.parse.decode import spaced
from footnote.ingest.parse.package import Element, Package, attr, child, local
from footnote.ingest.parse.table import to_markdown
from footnote.types import Block

_NO_WORDS = re.compile(r"\S+\.(?:png|jpe?g|gif|bmp|tiff?|emf|wmf|svg)|(?:picture|image|bild|grafik|그림)\s*\d*", re.IGNORECASE)
_MAX_POINTS = 1_000
"""Maximum categories of a chart that are listed; a curve of measured values is useless as text."""


def read_chart(package: Package, part: str, page: int | None) -> list[Block]:
    """A chart's title as caption and its data as a table: a row per category, a column per series."""
    root = package.xml(part)
    if root is None:
        return []
    title = spaced("".join(_texts(child(root, "chart", "title"), "t")))
    rows: dict[int, list[str]] = {}
    header = [""]
    for series in (node for node in root.iter("{*}ser") if isinstance(node.tag, str)):
        header.append(spaced("".join(_texts(child(series, "tx"), "v"))))
        for name in ("cat", "xVal"):
            for index, value in _points(child(series, name)):
                rows.setdefault(index, [value])[0] = value
        for name in ("val", "yVal"):
            for index, value in _points(child(series, name)):
                row = rows.setdefault(index, [""])
                row.extend([""] * (len(header) - 1 - len(row)))
                row.append(value)
    blocks = [Block("caption", title, page=page)] if title else []
    if rows:
        blocks.append(Block("table", to_markdown([header, *(rows[index] for index in sorted(rows))]), page=page))
    return blocks


def read_diagram(package: Package, part: str, page: int | None) -> list[Block]:
    """The text of a SmartArt graphic, one line per shape."""
    root = package.xml(part)
    points = root.iter("{*}pt") if root is not None else ()
    lines = [line for point in points if (line := spaced(" ".join(_texts(child(point, "t"), "t"))))]
    return [Block("list", "\n".join(f"- {line}" for line in lines), page=page)] if lines else []


def alt_text(properties: Element | None, name: str = "descr") -> str:
    """The title and alternative text of a picture or shape; "" if they are only a file name, or if it is marked as decorative.

    `name`: of the attribute with the alternative text."""
    if properties is None or any(attr(node, "val") in ("1", "true") for node in properties.iter("{*}decorative")):
        return ""
    return ": ".join(dict.fromkeys(text for each in ("title", name) if (text := worded(attr(properties, each) or ""))))


def worded(text: str) -> str:
    """An alternative text; "" if it is only the name of a file or a kind of object."""
    text = spaced(text)
    return "" if len(text) < 3 or _NO_WORDS.fullmatch(text) else text


def _texts(node: Element | None, name: str) -> list[str]:
    return [found.text or "" for found in node.iter(f"{{*}}{name}")] if node is not None else []


def _points(node: Element | None) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    for point in node.iter("{*}pt") if node is not None else ():
        index = point.get("idx") or ""
        value = spaced("".join(_texts(point, "v")))
        if index.isdecimal() and int(index) < _MAX_POINTS and local(point.getparent()) != "lvl":
            found.append((int(index), number(value)))
        elif index.isdecimal() and int(index) < _MAX_POINTS and point.getparent().getprevious() is None:
            found.append((int(index), value))  # the first of several levels of categories is the finest
    return found


def number(text: str) -> str:
    """`0.15000000000000002` → `0.15`."""
    try:
        return f"{float(text):.10g}"
    except ValueError:
        return text
