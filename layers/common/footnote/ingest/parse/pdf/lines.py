"""Lines of a page: which pieces of text form a line, and the reading order. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from footnote.ingest.parse.plain import ITEM
from footnote.ingest.parse.superscript import superscript

BULLET = re.compile(r"[•·‣▪◦●○■□➢➤✓\uf0b7\uf0a7\uf0d8]\s*|[-–*]\s+|o\s+(?=[A-Z])")
_MARKS = ("☐", "☑", "☒")
"""Of check boxes; they stay in the text."""
_COLUMN_ROWS = 3
_CELL_GAP = 1.2
"""Font heights; a wider gap separates cells rather than words."""
_COLUMN_WIDTH = 8
"""Font heights; a narrower piece is a table cell rather than a line of a column."""
_LEAST_SMALL = 0.1
"""The share of lines of a text that begin with a small letter, at least: of those in a list that wraps."""
_FULL = 0.8
"""The share of its column's width that a full line has."""
_ITEM_GAP = 3
"""Font heights; the widest gap between a bullet and the text of its item."""
_OVERLAP = 0.25
"""Font heights by which the boxes of successive lines may overlap."""
_LIST_ROWS = 6
"""Rows of two lists side by side without bullets, at least."""
_BULLETS = 0.5
"""The share of lines with a bullet from which they are a list."""
_EDGES = 4
"""Left edges of the headings, items and sub-items of a list, at most; cells that are centred or flush right have more."""
_INDENT = 0.5
"""Font heights between two of them, at least."""
_MOST_LINES = 300
"""A page with more lines is a drawing or a table."""


class Box(NamedTuple):
    """A rectangle in points from the left (`x`) and downwards from the top (`y`) of a page."""

    x0: float
    y0: float
    x1: float
    y1: float

    def turned(self, degrees: int, width: float, height: float) -> Box:
        """The box after turning a page of this size clockwise by a multiple of 90 degrees."""
        x0, y0, x1, y1 = self
        if degrees == 90:
            return Box(height - y1, x0, height - y0, x1)
        if degrees == 180:
            return Box(width - x1, height - y1, width - x0, height - y0)
        if degrees == 270:
            return Box(y0, width - x1, y1, width - x0)
        return self


@dataclass(frozen=True, slots=True)
class Line:
    """A line on a page that is turned for reading. `size`: font height. `page_height`: 0 = its place is unknown."""

    text: str
    page: int
    x0: float = 0.0
    x1: float = 0.0
    y0: float = 0.0
    y1: float = 0.0
    size: float = 0.0
    bold: bool = False
    page_height: float = 0.0
    cells: tuple[str, ...] = ()
    """The pieces between wide gaps, if there are several; all cells for a row of a ruled table."""
    table: int = 0
    """The number, from 1, of the ruled table on its page that it belongs to."""
    confidence: float | None = None
    """0..1 where OCR read it."""
    filled: bool = False
    """Whether it contains what someone filled in, such as the value of a form field."""


def is_item(text: str) -> bool:
    """Whether a line starts a list item."""
    return bool(text[:1] in _MARKS or BULLET.match(text) or (text[:1] in "(0123456789" and ITEM.match(text)))


def with_bullets(rows: Sequence[Sequence[Line]], dots: Sequence[Box]) -> list[list[Line]]:
    """The rows, in which each text with a drawn dot before it begins with a bullet, as printed web pages have them."""
    if len(dots) > _MOST_LINES:
        return [list(row) for row in rows]

    def marked(line: Line) -> Line:
        gap = _ITEM_GAP * line.size
        near = (dot for dot in dots if 0 < line.x0 - dot.x1 < gap and line.y0 < (dot.y0 + dot.y1) / 2 < line.y1)
        dot = None if line.table or is_item(line.text) else next(near, None)
        return line if dot is None else replace(line, text=f"• {line.text}", x0=dot.x0)

    return [[marked(line) for line in row] for row in rows]


def unweave(rows: Sequence[Sequence[Line]]) -> list[Line]:
    """Turns a page's rows, each split at wide gaps, into lines in reading order.

    Several successive rows that split at the same place into two pieces of running text, or of two lists, are two columns, of which
    the left one is read first. Other pieces, such as table cells, stay in one line.
    """
    lines: list[Line] = []
    start = 0
    while start < len(rows):
        end, gutter = _columns(rows, start)
        if end - start >= _COLUMN_ROWS:
            first = start
            while first and len(rows[first - 1]) == 1 and _is_head(rows[first - 1][0], rows[first][0], gutter):
                first -= 1
                lines.pop()
            pieces = [piece for row in rows[first:end] for piece in row]
            lines += [piece for piece in pieces if piece.x0 < gutter]
            lines += [piece for piece in pieces if piece.x0 >= gutter]
            start = end
        else:
            lines.append(_in_one(rows[start]))
            start += 1
    return lines


def in_place(lines: Sequence[Line]) -> list[Line]:
    """Moves what was drawn out of order on a page to its place: a header drawn last, a footer drawn first, and bullets drawn after
    the texts of their items. All else stays in file order, which knows the columns."""
    if len(lines) > _MOST_LINES or not all(line.page_height for line in lines):
        return list(lines)
    blocks: list[list[Line]] = []
    for line in _bullets_first(lines):
        if blocks and _follows(blocks[-1][-1], line):
            blocks[-1].append(line)
        else:
            blocks.append([line])
    in_order = set(_downwards(lines))
    for block in list(blocks):
        if in_order.isdisjoint(block):
            others = [other for other in blocks if other is not block]
            at = _place_of(block, others)
            if at is not None:
                blocks = [*others[:at], block, *others[at:]]
    return [line for block in blocks for line in block]


def _bullets_first(lines: Sequence[Line]) -> list[Line]:
    """Each lone bullet before the line beside it, if there is one."""
    placed = [line for line in lines if not _is_bullet(line)]
    for bullet in [line for line in lines if _is_bullet(line)]:
        beside = (i for i, line in enumerate(placed) if _beside(bullet, line) and line.x0 - bullet.x1 < _ITEM_GAP * bullet.size)
        placed.insert(next(beside, len(placed)), bullet)
    return placed


def _downwards(lines: Sequence[Line]) -> list[Line]:
    """The lines with the most text of which each starts below the one before: the page without what is out of order."""
    best: list[tuple[int, int]] = []
    for line in lines:
        above = ((text, i) for i, (text, _) in enumerate(best) if lines[i].y0 < line.y0)
        text, before = max(above, default=(0, -1))
        best.append((text + len(line.text), before))
    series = []
    at = max(range(len(best)), key=best.__getitem__, default=-1)
    while at >= 0:
        series.append(lines[at])
        at = best[at][1]
    return series


def _place_of(block: Sequence[Line], others: Sequence[Sequence[Line]]) -> int | None:
    """Between the blocks above and those below, if that is also their order and it is in the column of the next one. None: it has no
    such place."""
    whole = _around(block[0], block)
    around = [_around(other[0], other) for other in others]
    at = next((i for i, other in enumerate(around) if _is_above(whole, other)), len(around))
    if not around or not all(_is_above(other, whole) for other in around[:at]) or not all(_is_above(whole, other) for other in around[at:]):
        return None
    return at if _in_column(whole, around[at] if at < len(around) else around[-1]) else None


def _is_bullet(line: Line) -> bool:
    return BULLET.fullmatch(line.text) is not None


def _follows(before: Line, line: Line) -> bool:
    """Whether the line is the next one of the same text."""
    if _is_bullet(before) or _is_bullet(line):
        return _beside(before, line)
    return _is_above(before, line) and line.y0 - before.y1 < line.size and _in_column(before, line)


def _in_column(line: Line, other: Line) -> bool:
    return line.x0 < other.x1 and other.x0 < line.x1


def _is_above(line: Line, other: Line) -> bool:
    return line.y1 - other.y0 <= _OVERLAP * min(line.size, other.size)


def _in_one(row: Sequence[Line]) -> Line:
    if len(row) == 1:
        return row[0]
    texts = tuple(piece.text for piece in row)
    cells = texts[_is_bullet(row[0]) :]  # the gap after a bullet separates no cells
    filled = any(piece.filled for piece in row)
    return replace(_around(row[0], row), text=" ".join(texts), cells=cells if len(cells) > 1 else (), filled=filled)


def _around(line: Line, pieces: Sequence[Line]) -> Line:
    """The line, with the bounding box of all its pieces."""
    return replace(
        line,
        x0=min(piece.x0 for piece in pieces),
        x1=max(piece.x1 for piece in pieces),
        y0=min(piece.y0 for piece in pieces),
        y1=max(piece.y1 for piece in pieces),
    )


def _columns(rows: Sequence[Sequence[Line]], start: int) -> tuple[int, float]:
    """(end of the run of rows that split at the same place, that place); no columns if the end equals `start`."""
    left, right = 0.0, float("inf")
    pairs: list[Sequence[Line]] = []
    end = start
    for row in rows[start:]:
        if len(row) == 2:
            left, right = max(left, row[0].x1), min(right, row[1].x0)
            pairs.append(row)
        elif not pairs or len(row) != 1 or row[0].x0 < left < right < row[0].x1:
            break
        if left >= right:
            break
        end += 1
    if len(pairs) < _COLUMN_ROWS:
        return start, 0.0
    narrowest = min(median((row[i].x1 - row[i].x0) / max(row[i].size, 1.0) for row in pairs) for i in (0, 1))
    is_text = narrowest > _COLUMN_WIDTH and all(_runs_on([row[i] for row in pairs]) for i in (0, 1))
    if is_text or _are_lists(rows[start:end], right):
        return end, right
    return start, 0.0


def _are_lists(rows: Sequence[Sequence[Line]], gutter: float) -> bool:
    """Whether two columns are lists: by their bullets, or because both have indents, and each where the other has none: the cells of a
    column begin at one place, or change it in the same row."""
    pieces = [piece for row in rows for piece in row]
    columns = [[piece for piece in pieces if (piece.x0 < gutter) == is_left] for is_left in (True, False)]
    if all(sum(BULLET.match(piece.text) is not None for piece in column) >= _BULLETS * len(column) for column in columns):
        return True
    edges = [_edges(column) for column in columns]
    if not all(edges):
        return False
    usual = [max(found, key=len) for found in edges]
    pairs = [row for row in rows if len(row) == 2]
    apart = Counter((row[0].x0 in usual[0], row[1].x0 in usual[1]) for row in pairs)
    return len(pairs) >= _LIST_ROWS and apart[True, False] > 0 and apart[False, True] > 0


def _edges(column: Sequence[Line]) -> list[list[float]]:
    """The left edges of the lines by the few places at which they begin; none if they are no words, or begin at many places."""
    edges: list[list[float]] = []
    for line in sorted(column, key=lambda line: line.x0):
        if edges and line.x0 - edges[-1][-1] < _INDENT * line.size:
            edges[-1].append(line.x0)
        else:
            edges.append([line.x0])
    are_words = all(any(map(str.isalpha, line.text)) for line in column)
    return edges if are_words and 1 < len(edges) <= _EDGES and min(map(len, edges)) > 1 else []


def _is_head(line: Line, below: Line, gutter: float) -> bool:
    """Whether a line is directly above the right one of two columns, and in it."""
    return line.x0 >= gutter and not line.table and -_OVERLAP * line.size < below.y0 - line.y1 < line.size


def _runs_on(column: Sequence[Line]) -> bool:
    """Whether some lines go on with the line before, as those of text do. Labels and their values begin with a capital letter or a number;
    in a script without capitals, hardly any line before one is full."""
    width = max(line.x1 - line.x0 for line in column)
    small = sum(line.text[:1].islower() for line in column[1:])
    plain = sum(
        line.text[:1].isalpha() and line.text[:1].lower() == line.text[:1].upper() and before.x1 - before.x0 > _FULL * width
        for before, line in pairwise(column)
    )
    return small >= _LEAST_SMALL * (len(column) - 1) or 2 * plain > len(column) - 1


def join_rows(lines: Sequence[Line]) -> list[Line]:
    """Joins superscripts, subscripts and other pieces of a line."""
    rows: list[Line] = []
    for line in lines:
        before = rows[-1] if rows else None
        if before is None or not _beside(before, line):
            rows.append(line)
            continue
        main = before if len(before.text) >= len(line.text) else line
        gap = (line.x0 - before.x1) / (main.size or 1.0)
        if gap <= 0.15 and _is_script(line, before):
            rows[-1] = _followed(before, superscript(line.text, before.text), line.x1)
            continue
        space = " " if gap > 0.15 or _is_script(before, line) else ""
        left, right = before.cells or (before.text,), line.cells or (line.text,)
        cells = (*left, *right) if gap > _CELL_GAP and not _is_bullet(before) else (*left[:-1], left[-1] + space + right[0], *right[1:])
        text = before.text + space + line.text
        filled = before.filled or line.filled
        rows[-1] = replace(main, text=text, x0=before.x0, x1=line.x1, cells=cells if len(cells) > 1 else (), filled=filled)
    return rows


def _is_script(line: Line, other: Line) -> bool:
    """Whether a line is a raised number beside another one: a power, or the number of a note."""
    return line.text.isdecimal() and line.size < 0.8 * other.size and line.y1 < other.y1 - 0.2 * other.size


def _followed(line: Line, text: str, x1: float) -> Line:
    cells = (*line.cells[:-1], line.cells[-1] + text) if line.cells else ()
    return replace(line, text=line.text + text, x1=x1, cells=cells)


def _beside(before: Line, line: Line) -> bool:
    if before.page != line.page or not before.page_height or not line.page_height or before.table or line.table:
        return False
    overlap = min(before.y1, line.y1) - max(before.y0, line.y0)
    size = max(before.size, line.size)
    return size > 0 and overlap > 0.4 * min(before.y1 - before.y0, line.y1 - line.y0) and line.x0 - before.x1 > -0.3 * size
