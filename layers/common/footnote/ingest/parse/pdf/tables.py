"""Ruled tables: finds grids in the rules drawn on a page, and fills them with words. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from footnote.ingest.parse.pdf.lines import Box
from footnote.ingest.parse.plain import join_lines

_NEAR = 3.0
"""Tolerance in points between rules that meet or coincide."""
_MOST_RULES = 400
_FILLED = 0.3
"""A grid with a smaller share of filled cells is a chart or a drawing."""
_LONGEST_CELL = 500
"""Characters; a longer cell indicates a page layout with frames."""
_EVEN = 0.75
"""Lines of a band that fill this share of its cells are separate rows, although no rule separates them."""
_RULED_ROWS = 4
"""In a table with so many bands, the names of its columns are one row, although each may be of several complete lines."""
_LEAST_KEYED, _KEYED = 3, 0.75
"""Lines of a band that fill its first and another column, and their share, from which each begins a row, whatever else it fills."""
_RULED_COLUMNS = 5
"""A table with so many columns between rules has no others, even if there are no rules at its sides."""
_WRAPPED = 0.3
"""If a larger share of lines starts with a lower-case letter, they are lines of one text."""
_SAME_LINE = 0.65
"""Font heights; a piece less far below is in the same line, or a label between two lines."""


class Piece(NamedTuple):
    """Adjacent words in one line."""

    text: str
    box: Box


class Row(NamedTuple):
    """A table row: its cells and its box."""

    cells: tuple[str, ...]
    box: Box


@dataclass(frozen=True, slots=True)
class Grid:
    """A table's outline and rules. `xs`, `ys`: the positions that divide it, including the outer edges."""

    box: Box
    xs: tuple[float, ...]
    ys: tuple[float, ...]
    level: tuple[Box, ...]
    upright: tuple[Box, ...]

    @property
    def is_closed(self) -> bool:
        """Whether all columns are ruled: there are rules at both sides and in between."""
        sides = all(any(abs(r.x0 - x) <= _NEAR for r in self.upright) for x in (self.box.x0, self.box.x1))
        return sides and len(self.xs) > 2

    def encloses(self, other: Grid) -> bool:
        """Whether the other table is inside this one, from top to bottom."""
        x = (other.box.x0 + other.box.x1) / 2
        return self.holds(x, other.box.y0) and self.holds(x, other.box.y1)

    def reaches(self, box: Box) -> bool:
        """Whether the box is inside the table or beside it."""
        return self.box.y0 - _NEAR <= (box.y0 + box.y1) / 2 <= self.box.y1 + _NEAR

    def holds(self, x: float, y: float) -> bool:
        """Whether the point is inside the table."""
        x0, y0, x1, y1 = self.box
        return x0 - _NEAR <= x <= x1 + _NEAR and y0 - _NEAR <= y <= y1 + _NEAR

    def parts(self, left: Box, right: Box) -> bool:
        """Whether a vertical rule is between two characters of a line."""
        y, start, end = (left.y0 + left.y1) / 2, (left.x0 + left.x1) / 2, (right.x0 + right.x1) / 2
        return any(r.y0 <= y <= r.y1 and start <= (r.x0 + r.x1) / 2 <= end for r in self.upright)


def find_grids(rules: Iterable[Box]) -> list[Grid]:
    """The grids on one page, from top to bottom. y points downwards."""
    all_rules = list(rules)
    level = _merged([rule for rule in all_rules if rule.x1 - rule.x0 >= rule.y1 - rule.y0])
    upright = [_flip(rule) for rule in _merged([_flip(rule) for rule in all_rules if rule.x1 - rule.x0 < rule.y1 - rule.y0])]
    if len(level) < 2 or len(level) + len(upright) > _MOST_RULES:
        return []
    grids = [grid for levels, uprights in _connected(level, upright) if (grid := _grid(levels, uprights))]
    closed = [grid for grid in grids if grid.is_closed]
    # Rules below headings, as wide as a table between them, are no table around it.
    grids = [grid for grid in grids if grid.is_closed or not any(grid.encloses(other) for other in closed)]
    return sorted(grids, key=lambda grid: grid.box.y0)


def _grid(level: Sequence[Box], upright: Sequence[Box]) -> Grid | None:
    rules = (*level, *upright)
    x0, y0, x1, y1 = min(r.x0 for r in rules), min(r.y0 for r in rules), max(r.x1 for r in rules), max(r.y1 for r in rules)
    xs = _distinct([x0, x1, *((r.x0 + r.x1) / 2 for r in upright)])
    ys = _distinct([y0, y1, *((r.y0 + r.y1) / 2 for r in level)])
    inner = [r for r in upright if xs[0] + _NEAR < r.x0 and r.x1 < xs[-1] - _NEAR]
    while inner and len(ys) > 2 and not _crosses(inner, ys[0], ys[1]):  # a title or a frame above the table
        ys = ys[1:]
    while inner and len(ys) > 2 and not _crosses(inner, ys[-2], ys[-1]):
        ys = ys[:-1]
    if len(level) < 2 or len(ys) < 2 or (len(ys) == 2 and len(xs) == 2) or (not inner and len(ys) < 3):
        return None
    return Grid(Box(xs[0], ys[0], xs[-1], ys[-1]), xs, ys, tuple(level), tuple(upright))


def _crosses(upright: Sequence[Box], y0: float, y1: float) -> bool:
    middle = (y0 + y1) / 2
    return any(rule.y0 <= middle <= rule.y1 for rule in upright)


def fill(grid: Grid, pieces: Sequence[Piece]) -> list[Row]:
    """The grid's rows with their texts; [] if it is not a table."""
    by_gaps = () if grid.is_closed or len(grid.xs) > _RULED_COLUMNS else _columns_by_gaps(grid, pieces)
    xs = by_gaps if len(by_gaps) > len(grid.xs) or len(grid.xs) == 2 else grid.xs
    columns = len(xs) - 1
    if columns < 2 or not pieces:
        return []
    bands: dict[int, list[tuple[int, Piece]]] = defaultdict(list)
    for piece in pieces:
        column = min(max(bisect_right(xs, (piece.box.x0 + piece.box.x1) / 2) - 1, 0), columns - 1)
        band = min(max(bisect_right(grid.ys, (piece.box.y0 + piece.box.y1) / 2) - 1, 0), len(grid.ys) - 2)
        row, column = _first_of_span(grid, xs, band, column)
        bands[row].append((column, piece))
    header = min(bands) if len(bands) >= _RULED_ROWS else -1
    rows = [row for band in sorted(bands) for row in _rows_of_band(bands[band], columns, whole=band == header)]
    used = [i for i in range(columns) if any(row.cells[i] for row in rows)]
    rows = [Row(tuple(row.cells[i] for i in used), row.box) for row in rows]
    texts = [cell for row in rows for cell in row.cells]
    if any(all(not any(c.isalnum() for c in row.cells[i]) for row in rows) for i in range(len(used))):
        return []  # a column of bullets
    if len(rows) < 2 or len(used) < 2 or sum(map(bool, texts)) < _FILLED * len(texts) or max(map(len, texts)) > _LONGEST_CELL:
        return []
    return rows


def _first_of_span(grid: Grid, xs: Sequence[float], row: int, column: int) -> tuple[int, int]:
    """The upper left cell of a merged cell, whose parts no rule separates."""
    y = (grid.ys[row] + grid.ys[row + 1]) / 2
    if xs is grid.xs:
        while column and not any(abs((r.x0 + r.x1) / 2 - xs[column]) <= _NEAR and r.y0 <= y <= r.y1 for r in grid.upright):
            column -= 1
    x = (xs[column] + xs[column + 1]) / 2
    while row and not any(abs((r.y0 + r.y1) / 2 - grid.ys[row]) <= _NEAR and r.x0 <= x <= r.x1 for r in grid.level):
        row -= 1
    return row, column


def _rows_of_band(placed: Sequence[tuple[int, Piece]], columns: int, *, whole: bool) -> list[Row]:
    """One row for the band, or one for each line of text if the lines are complete. `whole`: it is one row in any case."""
    lines = _by_line(placed)
    filled = sum(len({column for column, _ in line}) for line in lines) / (len(lines) * columns)
    starts = [piece.text[:1] for line in lines[1:] for _, piece in line if piece.text[:1].isalpha()]
    wrapped = sum(map(str.islower, starts)) > _WRAPPED * len(starts)
    if whole or len(lines) == 1 or wrapped:
        return [_row(lines, columns)]
    if filled >= (_EVEN if len(lines) > 2 else 1.0):
        return [_row([line], columns) for line in lines]
    return [_row(group, columns) for group in _keyed(lines)]


def _keyed(lines: Sequence[list[tuple[int, Piece]]]) -> list[list[list[tuple[int, Piece]]]]:
    """The lines in rows, of which each begins with what is in its first column, if most lines do and say something of it; else all
    lines in one."""
    used = [{column for column, _ in line} for line in lines]
    first = min(set().union(*used))
    begins = [first in columns and len(columns) > 1 for columns in used]
    if not begins[0] or sum(begins) < max(_LEAST_KEYED, _KEYED * len(lines)):
        return [list(lines)]
    rows: list[list[list[tuple[int, Piece]]]] = []
    for line, is_first in zip(lines, begins, strict=True):
        if is_first:
            rows.append([])
        rows[-1].append(line)
    return rows


def _by_line(placed: Sequence[tuple[int, Piece]]) -> list[list[tuple[int, Piece]]]:
    lines: list[list[tuple[int, Piece]]] = []
    bottom = 0.0
    for column, piece in sorted(placed, key=lambda item: (item[1].box.y0 + item[1].box.y1) / 2):
        middle = (piece.box.y0 + piece.box.y1) / 2
        if not lines or middle > bottom:
            lines.append([])
            bottom = middle + _SAME_LINE * (piece.box.y1 - piece.box.y0)
        lines[-1].append((column, piece))
    return [sorted(line, key=lambda item: item[1].box.x0) for line in lines]


def _row(lines: Sequence[Sequence[tuple[int, Piece]]], columns: int) -> Row:
    texts: list[list[str]] = [[] for _ in range(columns)]
    for line in lines:
        words: dict[int, list[str]] = defaultdict(list)
        for column, piece in line:
            words[column].append(piece.text)
        for column, found in words.items():
            texts[column].append(" ".join(found))
    boxes = [piece.box for line in lines for _, piece in line]
    around = Box(min(b.x0 for b in boxes), min(b.y0 for b in boxes), max(b.x1 for b in boxes), max(b.y1 for b in boxes))
    return Row(tuple(join_lines(text) if text else "" for text in texts), around)


def _columns_by_gaps(grid: Grid, pieces: Sequence[Piece]) -> tuple[float, ...]:
    """Column positions of a table without vertical rules: the common gaps of the fullest lines."""
    lines = _by_line([(0, piece) for piece in pieces])
    most = max(map(len, lines), default=0)
    if most < 2 or sum(len(line) > 0.6 * most for line in lines) < 0.5 * len(lines):
        return ()
    full = sorted((piece.box.x0, piece.box.x1) for line in lines if len(line) > 0.8 * most for _, piece in line)
    edges = [grid.box.x0]
    end = full[0][1]
    for x0, x1 in full:
        if x0 > end + _NEAR:
            edges.append((x0 + end) / 2)
        end = max(end, x1)
    return (*edges, max(grid.box.x1, end))


def _merged(rules: Sequence[Box]) -> list[Box]:
    """Horizontal rules; touching ones at the same height are merged."""
    merged: list[Box] = []
    for rule in sorted(rules, key=lambda r: (round((r.y0 + r.y1) / 2 / _NEAR), r.x0)):
        last = merged[-1] if merged else None
        if last and abs((rule.y0 + rule.y1) - (last.y0 + last.y1)) / 2 <= _NEAR and rule.x0 <= last.x1 + 2 * _NEAR:
            merged[-1] = last._replace(x1=max(last.x1, rule.x1))
        else:
            merged.append(rule)
    return merged


def _flip(box: Box) -> Box:
    return Box(box.y0, box.x0, box.y1, box.x1)


def _connected(level: Sequence[Box], upright: Sequence[Box]) -> list[tuple[list[Box], list[Box]]]:
    """Groups of rules that are connected, and of unconnected horizontal rules with the same ends."""
    group = list(range(len(level) + len(upright)))

    def root(i: int) -> int:
        while group[i] != i:
            i = group[i]
        return i

    alone = set(range(len(level)))
    for i, a in enumerate(level):
        for j, b in enumerate(upright, len(level)):
            if a.x0 - _NEAR <= b.x1 and b.x0 <= a.x1 + _NEAR and b.y0 - _NEAR <= a.y1 and a.y0 <= b.y1 + _NEAR:
                group[root(j)] = root(i)
                alone.discard(i)
    for i, j in combinations(sorted(alone), 2):
        if abs(level[i].x0 - level[j].x0) <= _NEAR and abs(level[i].x1 - level[j].x1) <= _NEAR:
            group[root(j)] = root(i)
    found: dict[int, tuple[list[Box], list[Box]]] = defaultdict(lambda: ([], []))
    for i, rule in enumerate((*level, *upright)):
        found[root(i)][i >= len(level)].append(rule)
    return list(found.values())


def _distinct(values: Iterable[float]) -> tuple[float, ...]:
    distinct: list[float] = []
    for value in sorted(values):
        if not distinct or value - distinct[-1] > _NEAR:
            distinct.append(value)
    return tuple(distinct)
