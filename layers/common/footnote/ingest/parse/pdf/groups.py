"""Groups lines into paragraphs, headings, list items and tables, by gaps, font sizes, boldness and indents. Pure."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

from footnote.ingest.parse.pdf.lines import Line, is_item

_END = re.compile(r"[.!?:;。…][\"'”’)\]]*$")
_SAME_EDGE = 4.0
"""Tolerance in points between the edges of two parts of a table."""


def group_lines(lines: Sequence[Line]) -> list[list[Line]]:
    """Groups lines, in reading order, that belong together."""
    groups: list[list[Line]] = []
    pitches = _pitches(lines)
    margins = _right_margins(lines)
    for line in lines:
        if groups and _continues(groups[-1], line, pitches.get(round(line.size), 0.0), margins.get(groups[-1][-1].page, 0.0)):
            groups[-1].append(line)
        else:
            groups.append([line])
    return [_without_page_breaks(group) if group[0].table else group for group in groups]


def is_bold(group: Sequence[Line]) -> bool:
    """Whether all lines of a group are bold, as in a heading."""
    return all(line.bold for line in group)


def _continues_table(group: Sequence[Line], line: Line) -> bool:
    """Whether a ruled table continues at the start of the next page."""
    before = group[-1]
    if not (before.table and line.table) or line.page != before.page + 1 or len(line.cells) != len(before.cells):
        return False
    return line.cells == group[0].cells or (abs(line.x0 - before.x0) < _SAME_EDGE and abs(line.x1 - before.x1) < _SAME_EDGE)


def _without_page_breaks(rows: Sequence[Line]) -> list[Line]:
    """The rows of a table without the header's repetitions, and with the cells together of a row that a page break parted."""
    whole = [rows[0]]
    for row in rows[1:]:
        before = whole[-1]
        if row.page == before.page:
            whole.append(row)
        elif row.cells != rows[0].cells:
            if _is_rest(before.cells, row.cells):
                cells = tuple(" ".join(filter(None, both)) for both in zip(whole.pop().cells, row.cells, strict=True))
                row = replace(row, cells=cells, text=" ".join(filter(None, cells)))
            whole.append(row)
    return whole


def _is_rest(cells: Sequence[str], rest: Sequence[str]) -> bool:
    """Whether the second row is what the page break left of the first: it fills the empty cells, or continues a sentence without a name
    of its own."""
    if not any(map(all, zip(cells, rest, strict=True))):
        return not all(cells)
    return bool(cells[0]) and not rest[0] and any(a and b[:1].islower() and not _END.search(a) for a, b in zip(cells, rest, strict=True))


def _pitches(lines: Sequence[Line]) -> dict[int, float]:
    """Font height → the most common line pitch of text in that height."""
    steps: dict[int, Counter[float]] = defaultdict(Counter)
    for before, line in pairwise(lines):
        step = line.y1 - before.y1
        if before.page == line.page and 0.7 * line.size < step < 2.2 * line.size and abs(line.size - before.size) < 0.1 * line.size:
            steps[round(line.size)][round(step * 2) / 2] += min(len(before.text), len(line.text))
    return {size: found.most_common(1)[0][0] for size, found in steps.items()}


def _right_margins(lines: Sequence[Line]) -> dict[int, float]:
    """Page → the usual right edge of a full line, to recognise short ones."""
    widths: dict[int, list[float]] = defaultdict(list)
    for line in lines:
        widths[line.page].append(line.x1 - line.x0)
    return {page: median(sorted(found)[len(found) // 2 :]) for page, found in widths.items()}


def _continues(group: Sequence[Line], line: Line, pitch: float, width: float) -> bool:
    before = group[-1]
    if before.table or line.table:
        return (before.table == line.table and before.page == line.page) or _continues_table(group, line)
    if not line.page_height or not before.page_height:
        return line.page == before.page and not _END.search(before.text)
    if len(line.cells) == len(before.cells) > 1 and line.page == before.page and 0 < line.y1 - before.y1 < 2.5 * line.size:
        return True  # rows of one table, whose header may be bold
    wraps = before.x1 - before.x0 > 0.7 * width and line.text[:1].islower() and not _END.search(before.text)
    tolerated = 0.35 if wraps else 0.12  # within a sentence, a line may be as high as an address in another font
    if all(abs(line.size - other.size) > tolerated * max(line.size, other.size) for other in (before, group[0])):
        return False
    if line.bold != before.bold and (is_bold(group) or line.bold):
        return False
    if is_item(line.text) or (max(len(line.cells), len(before.cells)) > 2 and bool(line.cells) != bool(before.cells)):
        return False
    size = max(line.size, before.size)
    if line.page != before.page or line.y1 < before.y0 - size:  # on the next page, or at the top of the next column
        return _runs_on(before, line, width)
    step = line.y1 - before.y1
    usual = pitch or 1.3 * size
    if step > max(1.28 * usual, usual + 0.25 * size):
        return False
    if step < 0.3 * size:  # beside it, not below
        return True
    if line.x0 > before.x1 or line.x1 < before.x0:
        return False
    indented = 0.8 * size < line.x0 - before.x0 < 6 * size
    hanging = is_item(group[0].text) and len(group) == 1
    ended = bool(_END.search(before.text)) and before.x1 - before.x0 < 0.85 * width
    return not ((indented and not hanging and _END.search(before.text)) or ended)


def _runs_on(before: Line, line: Line, width: float) -> bool:
    """Whether a paragraph continues across a page or column: only if its sentence is visibly cut."""
    full = before.x1 - before.x0 > 0.6 * width
    return full and not before.bold and not _END.search(before.text) and (line.text[:1].islower() or before.text.endswith(("-", ",")))
