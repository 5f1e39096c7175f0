"""Reads charts and diagrams of Office files, which are separate parts of the package."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from footnote.ingest.parse.decode import spaced
from footnote.ingest.parse.number_format import show
from footnote.ingest.parse.package import Element, Package, attr, child, local
from footnote.ingest.parse.table import to_markdown
from footnote.types import Block

_NO_WORDS = re.compile(r"\S+\.(?:png|jpe?g|gif|bmp|tiff?|emf|wmf|svg)|(?:picture|image|bild|grafik|그림)\s*\d*", re.IGNORECASE)
_MAX_POINTS = 1_000
"""Maximum categories of a chart that are listed; a curve of measured values is useless as text."""


_BELOW = " › "
"""Between the levels of a category, as between the keys of records."""

_Points = dict[int, str]
"""Index of a category → its name, or its value in a series."""


def read_chart(package: Package, part: str, page: int | None) -> list[Block]:
    """A chart's title as caption and its data as a table: a row per category, a column per series. Series with points of their own, as in a
    scatter plot, are tables of their own."""
    root = package.xml(part)
    if root is None:
        return []
    since_1904 = attr(child(root, "date1904"), "val") in ("1", "true")
    title = spaced("".join(_texts(child(root, "chart", "title"), "t")))
    read = [_series(node, since_1904=since_1904) for node in root.iter("{*}ser") if isinstance(node.tag, str)]
    blocks = [Block("caption", title, page=page)] if title else []
    first = next((names for names, _ in read if names), {})
    for names, group in groupby(read, lambda each: each[0] or first):  # categories may be given once for all
        series = [column for _, found in group for column in found]
        indices = sorted({*names, *(index for _, points in series for index in points)})
        if indices:
            rows = ([names.get(index, ""), *(points.get(index, "") for _, points in series)] for index in indices)
            header = ["", *(name for name, _ in series)]
            blocks.append(Block("table", to_markdown([header, *rows]), page=page))
    return blocks


def _series(node: Element, *, since_1904: bool) -> tuple[_Points, list[tuple[str, _Points]]]:
    """The names of a series' categories, and its columns: its values, and the sizes of its bubbles."""
    name = spaced("".join(_texts(child(node, "tx"), "v")))
    names: _Points = {}
    for each in ("cat", "xVal"):
        for points in _levels(child(node, each), since_1904=since_1904):
            names = _below(points, names) if names else points
    columns = ((name, ("val", "yVal")), (f"{name} (size)" if name else "", ("bubbleSize",)))
    found = [(title, _one(node, parts, since_1904=since_1904)) for title, parts in columns]
    return names, [found[0], *(column for column in found[1:] if column[1])]


def _one(node: Element, parts: tuple[str, ...], *, since_1904: bool) -> _Points:
    return {index: text for part in parts for points in _levels(child(node, part), since_1904=since_1904) for index, text in points.items()}


def _below(above: _Points, names: _Points) -> _Points:
    """Categories with the level above them, whose names stand at the first of the categories that they hold."""
    found: _Points = {}
    name = ""
    for index in sorted({*above, *names}):
        name = above.get(index, name)
        found[index] = _BELOW.join(filter(None, (name, names.get(index, ""))))
    return found


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


def _levels(node: Element | None, *, since_1904: bool) -> Iterator[_Points]:
    """The points of each level of categories, the finest first; values have one level. Numbers and dates are as their format shows them."""
    for cache, points in groupby(node.iter("{*}pt") if node is not None else (), lambda point: point.getparent()):
        code = "".join(_texts(child(cache, "formatCode"), "formatCode"))
        is_text = local(cache) in ("strCache", "strLit", "lvl")
        found: _Points = {}
        for point in points:
            index = point.get("idx") or ""
            if index.isdecimal() and int(index) < _MAX_POINTS:
                value = spaced("".join(_texts(point, "v")))
                found[int(index)] = value if is_text else _shown(value, point.get("formatCode") or code, since_1904)
        yield found


def _shown(value: str, code: str, since_1904: bool) -> str:
    try:
        return show(float(value), code, since_1904=since_1904) or number(value)
    except (ValueError, OverflowError):
        return value


def number(text: str) -> str:
    """`0.15000000000000002` → `0.15`."""
    try:
        return f"{float(text):.10g}"
    except ValueError:
        return text
