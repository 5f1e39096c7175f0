"""Lines of a page: which pieces of text form a line, and the reading order. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import NamedTuple

_COLUMN_ROWS = 3
_CELL_GAP = 1.2
"""Font heights; a wider gap separates cells rather than words."""
_COLUMN_WIDTH = 8
"""Font heights; a narrower piece is a table cell rather than a line of a column."""


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


def unweave(rows: Sequence[Sequence[Line]]) -> list[Line]:
    """Turns a page's rows, each split at wide gaps, into lines in reading order.

    Several successive rows that split at the same place into two pieces of running text are two columns, of which the
    left one is read first. Other pieces, such as table cells, stay in one line.
    """
    lines: list[Line] = []
    start = 0
    while start < len(rows):
        end, gutter = _columns(rows, start)
        if end - start >= _COLUMN_ROWS:
            pieces = [piece for row in rows[start:end] for piece in row]
            lines += [piece for piece in pieces if piece.x0 < gutter]
            lines += [piece for piece in pieces if piece.x0 >= gutter]
            start = end
        else:
            lines.append(_in_one(rows[start]))
            start += 1
    return lines


def _in_one(row: Sequence[Line]) -> Line:
    if len(row) == 1:
        return row[0]
    cells = tuple(piece.text for piece in row)
    return replace(_around(row[0], row), text=" ".join(cells), cells=cells)


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
    return (end, right) if narrowest > _COLUMN_WIDTH else (start, 0.0)


def join_rows(lines: Sequence[Line]) -> list[Line]:
    """Joins superscripts, subscripts and other pieces of a line."""
    rows: list[Line] = []
    for line in lines:
        before = rows[-1] if rows else None
        if before is None or not _beside(before, line):
            rows.append(line)
            continue
        main = before if len(before.text) >= len(line.text) else line
        gap = (line.x0 - before.x1) / main.size
        space = " " if gap > 0.15 else ""
        left, right = before.cells or (before.text,), line.cells or (line.text,)
        cells = (*left, *right) if gap > _CELL_GAP else (*left[:-1], left[-1] + space + right[0], *right[1:])
        text = before.text + space + line.text
        rows[-1] = replace(main, text=text, x0=before.x0, x1=line.x1, cells=cells if len(cells) > 1 else ())
    return rows


def _beside(before: Line, line: Line) -> bool:
    if before.page != line.page or not before.page_height or not line.page_height or before.table or line.table:
        return False
    overlap = min(before.y1, line.y1) - max(before.y0, line.y0)
    size = max(before.size, line.size)
    return size > 0 and overlap > 0.4 * min(before.y1 - before.y0, line.y1 - line.y0) and line.x0 - before.x1 > -0.3 * size
