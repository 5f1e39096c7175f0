"""Tables without rules whose rows take several lines or lack cells, such as the items of an invoice: what stands below a row of column
names. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from footnote.ingest.parse.pdf.lines import Line
from footnote.ingest.parse.plain import join_lines

_LEAST_NAMES = 3
"""Names of columns in one line."""
_LEAST_COLUMNS = 4
_LONGEST_NAME = 30
_LEAST_NUMBERS = 2
"""Columns of numbers, without which it is hardly a table."""
_NAMES_HEIGHT = 2.5
"""Font heights above and below the row of names in which there may be further names."""
_PITCH, _GAP = 2.5, 8.0
"""Font heights between lines of one row, and between rows, at most."""
_WRAPPED = 0.8
"""Font heights between lines of one cell, at most."""
_SAME_HEIGHT = 0.2
"""Font heights by which pieces of one line are higher or lower, at most."""
_SAME_SIZE = 0.2
"""The share by which font heights in one table differ, at most."""


@dataclass(slots=True)
class _Item:
    """A row of the table: for each column its lines."""

    cells: list[list[Line]]
    lines: list[Line] = field(default_factory=list)

    def add(self, placed: Sequence[tuple[int, Line]]) -> None:
        for column, line in placed:
            self.cells[column].append(line)
            self.lines.append(line)

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(join_lines([line.text for line in cell]) if cell else "" for cell in self.cells)


def with_items(rows: Sequence[list[Line]], first_number: int) -> list[list[Line]]:
    """The rows of a page, each split at wide gaps, with such tables as rows of one line with their cells. Tables whose rows are single
    lines with all cells are left as they are. `first_number`: of the first table, as in `Line.table`."""
    found: list[list[Line]] = []
    at, number = 0, first_number
    while at < len(rows):
        end, items = _table(rows, at)
        if items:
            del found[len(found) - _names_before(rows, at, _whole(rows, at)[0]) :]
            found += [[_line(item, number)] for item in items]
            rows, at = rows[end:], 0  # what belongs to a table names no columns of the next one
            number += 1
        else:
            found.append(rows[at])
            at += 1
    return found


def _table(rows: Sequence[list[Line]], at: int) -> tuple[int, list[_Item]]:
    """(the end of the table whose columns this row names, its rows with the names first); no rows if it is none."""
    if not all(map(_is_name, rows[at])):
        return at, []
    header, end = _whole(rows, at)
    if len(header) < _LEAST_NAMES or not all(map(_is_name, header)):
        return at, []
    names = _names(rows, at, header)
    if len(names) < _LEAST_COLUMNS:
        return at, []
    size = header[0].size
    top = bottom = max(line.y1 for lines in names for line in lines)
    spans = [(min(line.x0 for line in lines), max(line.x1 for line in lines)) for lines in names]
    first = _whole(rows, end)[0] if end < len(rows) else []
    if len(first) > len(names) and first[0].x1 < spans[0][0]:  # the column of the rows' own names has none
        names.insert(0, [])
        spans.insert(0, (first[0].x0, first[0].x1))
    items: list[_Item] = []
    counts = {len(header)}
    while end < len(rows):
        row, following = _whole(rows, end)
        placed = _placed(row, spans, size)
        y0 = min(line.y0 for line in row)
        gap = (y0 - bottom) / size
        if placed is None or y0 < top - _WRAPPED * size or gap > _GAP:
            break
        if len(row) == 1 and _is_long(row[0], spans) and not (items and _has_words(items[-1].cells[placed[0][0]])):
            break
        if items and _continues(items[-1], placed, gap):
            items[-1].add(placed)
        elif len(placed) > 1:
            items.append(_Item([[] for _ in names]))
            items[-1].add(placed)
            top = y0
        else:
            break
        bottom = max(bottom, *(line.y1 for line in row))
        counts.add(len(row))
        end = following
    if counts == {len(names)} or sum(_are_numbers([item.texts[i] for item in items]) for i in range(len(names))) < _LEAST_NUMBERS:
        return at, []
    return end, [_Item(names, [line for lines in names for line in lines]), *items]


def _whole(rows: Sequence[list[Line]], at: int) -> tuple[list[Line], int]:
    """(a row with those after it that are at the same height on its right, the end of these)."""
    row, end = list(rows[at]), at + 1
    while end < len(rows) and _is_right(row[-1], rows[end][0]):
        row += rows[end]
        end += 1
    return row, end


def _is_right(before: Line, line: Line) -> bool:
    if not before.page_height or not line.page_height or before.table or line.table:
        return False
    return line.x0 >= before.x1 and abs(line.y0 - before.y0) <= _SAME_HEIGHT * before.size


def _is_name(line: Line) -> bool:
    text = line.text
    if len(text) > _LONGEST_NAME or line.table or not line.page_height:
        return False
    return any(map(str.isalpha, text)) and not any(map(str.isdigit, text))


def _names_before(rows: Sequence[list[Line]], at: int, header: Sequence[Line]) -> int:
    """How many rows directly before the names of columns are further names: each is in a column of its own, or there are several."""
    y0, y1, size = header[0].y0, header[0].y1, header[0].size
    count = 0
    while count < at:
        row = rows[at - count - 1]
        is_near = all(y0 - _NAMES_HEIGHT * size <= line.y0 and line.y1 <= y1 + _NAMES_HEIGHT * size for line in row)
        if not is_near or not all(_is_name(line) and _is_same_size(line, size) for line in row):
            break
        below = [sum(_overlap(line, other.x0, other.x1) for other in header) for line in row]
        if max(below) > 1 or (len(row) == 1 and any(below)):
            break
        count += 1
    return count


def _names(rows: Sequence[list[Line]], at: int, header: Sequence[Line]) -> list[list[Line]]:
    """The lines of the name of each column, from left to right."""
    names = [[line] for line in header]
    for row in rows[at - _names_before(rows, at, header) : at]:
        for line in row:
            own = next((name for name in names if any(_overlap(line, other.x0, other.x1) for other in name)), None)
            if own is None:
                names.append([line])
            else:
                own.append(line)
    return sorted((sorted(name, key=lambda line: line.y0) for name in names), key=lambda name: name[0].x0)


def _placed(row: Sequence[Line], spans: Sequence[tuple[float, float]], size: float) -> list[tuple[int, Line]] | None:
    """Each piece with its column: that whose name it is below, else of those between its neighbours' the one whose edge or middle is
    nearest. None: it is no row."""
    if any(line.table or not line.page_height or not _is_same_size(line, size) for line in row):
        return None
    under = [[i for i, (x0, x1) in enumerate(spans) if _overlap(line, x0, x1)] for line in row]
    if len(row) == 1 and _is_long(row[0], spans):  # of a description, unless it is below the first column, as what follows a table
        under = [[i for i in under[0][:1] if i and abs(row[0].x0 - spans[i][0]) < size]]
        return [(under[0][0], row[0])] if under[0] else None
    if any(len(columns) > 1 for columns in under):
        return None
    placed: list[tuple[int, Line]] = []
    for place, line in enumerate(row):
        if under[place]:
            placed.append((under[place][0], line))
            continue
        first = placed[-1][0] + 1 if placed else 0
        end = next((columns[0] for columns in under[place + 1 :] if columns), len(spans))
        free = range(first, end) or range(len(spans))
        placed.append((min(free, key=lambda i: _distance(line, *spans[i])), line))
    return placed


def _is_long(line: Line, spans: Sequence[tuple[float, float]]) -> bool:
    """Whether a line is below the names of several columns."""
    return sum(_overlap(line, x0, x1) for x0, x1 in spans) > 1


def _has_words(cell: Sequence[Line]) -> bool:
    return any(map(str.isalpha, "".join(line.text for line in cell)))


def _distance(line: Line, x0: float, x1: float) -> float:
    return min(abs(line.x0 - x0), abs(line.x1 - x1), abs(line.x0 + line.x1 - x0 - x1) / 2)


def _continues(item: _Item, placed: Sequence[tuple[int, Line]], gap: float) -> bool:
    """Whether a line is of the same row: it fills empty cells, or is one cell's next line."""
    if gap > _PITCH:
        return False
    if not any(item.cells[column] for column, _ in placed):
        return True
    return len(placed) == 1 and (placed[0][0] > 0 or gap <= _WRAPPED)


def _are_numbers(texts: Sequence[str]) -> bool:
    found = [text for text in texts if text]
    return bool(found) and all(any(map(str.isdigit, text)) for text in found)


def _is_same_size(line: Line, size: float) -> bool:
    return abs(line.size - size) <= _SAME_SIZE * size


def _overlap(line: Line, x0: float, x1: float) -> bool:
    return line.x0 < x1 and x0 < line.x1


def _line(item: _Item, number: int) -> Line:
    first = item.lines[0]
    return replace(
        first,
        text=" ".join(filter(None, item.texts)),
        x0=min(line.x0 for line in item.lines),
        x1=max(line.x1 for line in item.lines),
        y0=min(line.y0 for line in item.lines),
        y1=max(line.y1 for line in item.lines),
        bold=False,
        cells=item.texts,
        table=number,
        filled=any(line.filled for line in item.lines),
    )
