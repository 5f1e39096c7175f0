"""Turns a sheet's cells into tables; a sheet may have several, separated by empty rows or columns.

Rows and columns that a person does not see are left out: hidden by hand, by a filter, or in a collapsed group.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, groupby, takewhile, zip_longest

from footnote.ingest.parse.table import MAX_AREA, to_markdown
from footnote.types import Block, Parsed

MAX_CELLS = 500_000
"""Maximum non-empty cells of a file that are read."""

_MAX_REPEATS = 100_000
"""Maximum cells of a file that are filled from merged cells."""
_NUMBER = re.compile(r"[^\w\s]{0,3}\s?\d[\d.,:\s-]*\s?(?:%|[^\w\s]{1,3}|[A-Z]{3})?")
_LONG_TEXT = 80
_MAX_TITLES = 5

Rows = dict[int, dict[int, str]]
"""Row → column → text, both from 0, sparse and ascending."""
Spans = Mapping[tuple[int, int], int]
"""(row, column) of a cell that is merged over several columns → the last of these columns."""


@dataclass
class Sheet:
    """A sheet with its non-empty cells. `number`: its position in the file, from 1."""

    name: str
    number: int
    rows: Rows = field(default_factory=dict)
    merged: list[tuple[int, int, int, int]] = field(default_factory=list)
    """(first row, first column, last row, last column) of each merged cell."""
    hidden_rows: list[tuple[int, int]] = field(default_factory=list)
    """(first, last) of rows that Excel does not show."""
    hidden_columns: list[tuple[int, int]] = field(default_factory=list)
    extra: list[Block] = field(default_factory=list)
    """Charts and text boxes."""


def cost(text: str) -> int:
    """How many of MAX_CELLS a cell uses: a long text counts as several, since any number of cells may share it."""
    return 1 + len(text) // 100


def to_parsed(sheets: Sequence[Sheet], title: str, count: int, hidden: int, is_cut: bool) -> Parsed:
    """The result for a file. `count`: number of its sheets; `hidden`: of hidden ones; `is_cut`: whether MAX_CELLS was exceeded."""
    repeats = _MAX_REPEATS
    hidden_rows = hidden_columns = 0
    blocks: list[Block] = []
    for sheet in sheets:
        rows, columns = _leave_out_hidden(sheet)
        hidden_rows, hidden_columns = hidden_rows + rows, hidden_columns + columns
        repeats = _spread(sheet, repeats)
        wide = {(top, left): right for top, left, _, right in sheet.merged if right > left}
        found = [*_tables(sheet.rows, wide, sheet.number), *sheet.extra]
        if found:
            blocks += [Block("heading", sheet.name, 1, sheet.number), *found]
    reasons = [f"Only the first {MAX_CELLS:,} cells were read."] if is_cut else []
    remedies = ["Split it into smaller files and add those."] if is_cut else []
    if hidden:
        reasons.append(f"Hidden sheets were left out: {hidden}.")
    if hidden_rows:
        reasons.append(f"Hidden rows were left out: {hidden_rows}.")
    if hidden_columns:
        reasons.append(f"Hidden columns were left out: {hidden_columns}.")
    if hidden or hidden_rows or hidden_columns:
        remedies.append("Show them and add the file again.")
    return Parsed(tuple(blocks), title, count, reason=" ".join(reasons) or None, remedy=" ".join(remedies) or None)


def _spread(sheet: Sheet, repeats: int) -> int:
    """Repeats cells merged over several rows in each non-empty row; returns how many more cells may be filled."""
    keys = list(sheet.rows)
    for top, left, bottom, _ in sheet.merged:
        text = sheet.rows.get(top, {}).get(left, "")
        for row in keys[bisect_right(keys, top) : bisect_right(keys, bottom)] if text and repeats > 0 else ():
            sheet.rows[row] = dict(sorted({left: text, **sheet.rows[row]}.items()))
            repeats -= 1
    return repeats


def _tables(rows: Rows, wide: Spans, page: int) -> list[Block]:
    blocks: list[Block] = []
    regions = [region for band in _bands(rows) for region in _regions(band)]
    for region, following in zip_longest(regions, regions[1:]):
        texts = [text for row in region.values() for text in row.values()]
        if len(texts) == 1 or (following and _width(region) == 1 and len(texts) <= _MAX_TITLES and not any(map(_NUMBER.fullmatch, texts))):
            leads = following is not None and _width(following) > 1
            blocks.extend(Block("caption" if leads else "paragraph", text, page=page) for text in texts)
        else:
            blocks.extend(_table(region, wide, page))
    return blocks


def _bands(rows: Rows) -> list[Rows]:
    """Splits rows at empty rows.

    Rows that continue the columns of the band above and start with numbers instead of a header belong to it: the empty row
    between them is only visual."""
    bands: list[Rows] = []
    columns: set[int] = set()  # columns of the last band
    for _, group in groupby(enumerate(rows), key=lambda pair: pair[1] - pair[0]):
        band = {row: rows[row] for _, row in group}
        used = {column for row in band.values() for column in row}
        first = next(iter(band.values()))
        has_header = len(first) < 2 or not any(_NUMBER.fullmatch(text) for text in first.values())
        if bands and len(columns) > 1 and columns >= used and not has_header:
            bands[-1].update(band)
        else:
            bands.append(band)
            columns = used
    return bands


def _regions(band: Rows) -> Iterator[Rows]:
    """Splits a band at columns that are empty throughout; each part is at least two columns wide."""
    used = sorted({column for row in band.values() for column in row})
    parts: list[list[int]] = []
    for _, group in groupby(enumerate(used), key=lambda pair: pair[1] - pair[0]):
        columns = [column for _, column in group]
        if parts and (len(columns) < 2 or len(parts[-1]) < 2 or _is_numeric(band, columns[0])):
            parts[-1] += columns  # labels and values; the empty column between them is only visual
        else:
            parts.append(columns)
    if len(parts) < 2:
        yield band
        return
    part_of = {column: i for i, columns in enumerate(parts) for column in columns}
    regions: list[Rows] = [{} for _ in parts]
    for row, cells in band.items():
        for column, text in cells.items():
            regions[part_of[column]].setdefault(row, {})[column] = text
    for region in regions:
        yield from _bands(region)


def _is_numeric(band: Rows, column: int) -> bool:
    """Whether a column has more numbers (or dashes) than words; no table starts with such a column."""
    texts = [cells[column] for cells in band.values() if column in cells]
    return 2 * sum(bool(_NUMBER.fullmatch(text)) or not any(map(str.isalnum, text)) for text in texts) > len(texts)


def _width(region: Mapping[int, Mapping[int, str]]) -> int:
    return len({column for row in region.values() for column in row})


def _table(region: Rows, wide: Spans, page: int) -> Iterator[Block]:
    rows = list(region.values())
    columns = sorted({column for row in rows for column in row})
    numbers = list(region)
    most = 2 if len(columns) > 4 else 1  # `In millions` on the left and `2024` on the right
    titles = takewhile(
        lambda row: len(row) <= most and not any(map(_NUMBER.fullmatch, row.values())), rows[: min(_MAX_TITLES, len(rows) - 2)]
    )
    for title in list(titles) if len(columns) > 1 else ():
        yield Block("caption", " · ".join(title.values()), page=page)  # a title above the header
        rows, numbers = rows[1:], numbers[1:]
    if (
        len(columns) > 1
        and len(rows) > 2
        and not any(map(_NUMBER.fullmatch, rows[1].values()))
        and any((numbers[0], column) in wide for column in rows[0])
    ):
        rows = [_one_header(rows[0], rows[1], {column: wide.get((numbers[0], column), column) for column in rows[0]}), *rows[2:]]
    if len(columns) == 1 and any(len(_first(row)) > _LONG_TEXT for row in rows):
        yield from (Block("paragraph", _first(row), page=page) for row in rows)
    elif len(columns) * len(rows) > MAX_AREA:
        yield Block("paragraph", "\n".join(" | ".join(row.values()) for row in rows), page=page)
    else:
        yield Block("table", to_markdown([[row.get(column, "") for column in columns] for row in rows]), page=page)


def _one_header(upper: Mapping[int, str], lower: Mapping[int, str], last: Mapping[int, int]) -> dict[int, str]:
    """`2024` merged over `Fee` and `Visits` → `2024 Fee`, `2024 Visits`."""
    header = dict(upper)
    for column, text in lower.items():
        above = next((upper[left] for left, right in last.items() if left <= column <= right), "")
        header[column] = text if above == text else f"{above} {text}".strip()
    return dict(sorted(header.items()))


def _first(row: Mapping[int, str]) -> str:
    return next(iter(row.values()))


def _leave_out_hidden(sheet: Sheet) -> tuple[int, int]:
    """How many hidden rows and how many hidden columns with text were left out.

    The others are numbered anew, so that neighbours on the screen are neighbours. A merged cell stays where a part of it is visible."""
    rows, columns = _Hidden(sheet.hidden_rows), _Hidden(sheet.hidden_columns)
    if not rows and not columns:
        return 0, 0
    lost_rows = {row for row in sheet.rows if row in rows}
    lost_columns = {column for row, cells in sheet.rows.items() if row not in lost_rows for column in cells if column in columns}
    _move_merged(sheet, rows, columns)
    shown = {
        rows.shown(row): kept
        for row, cells in sorted(sheet.rows.items())
        if row not in rows and (kept := {columns.shown(column): text for column, text in sorted(cells.items()) if column not in columns})
    }
    sheet.rows = shown
    return len(lost_rows), len(lost_columns)


def _move_merged(sheet: Sheet, rows: _Hidden, columns: _Hidden) -> None:
    """Numbers the merged cells anew, and moves a text whose own cell is hidden to the first visible one."""
    moved: list[tuple[int, int, int, int]] = []
    for top, left, bottom, right in sheet.merged:
        first, start = rows.first_visible(top), columns.first_visible(left)
        if first > bottom or start > right:
            continue
        text = sheet.rows.get(top, {}).get(left, "")
        if text and (first, start) != (top, left):
            sheet.rows.setdefault(first, {})[start] = text
        moved.append((rows.shown(first), columns.shown(start), rows.shown(bottom + 1) - 1, columns.shown(right + 1) - 1))
    sheet.merged = moved


class _Hidden:
    """Hidden rows or columns. `ranges`: (first, last) of each, from 0, in any order."""

    def __init__(self, ranges: Iterable[tuple[int, int]]) -> None:
        joined: list[tuple[int, int]] = []
        for first, last in sorted((max(first, 0), last) for first, last in ranges):
            if joined and first <= joined[-1][1] + 1:
                joined[-1] = joined[-1][0], max(joined[-1][1], last)
            elif first <= last:
                joined.append((first, last))
        self._joined = joined
        self._starts = [first for first, _ in joined]
        self._before = [0, *accumulate(last - first + 1 for first, last in joined)]  # how many are hidden before each range

    def __bool__(self) -> bool:
        return bool(self._joined)

    def __contains__(self, number: int) -> bool:
        return self.first_visible(number) != number

    def first_visible(self, number: int) -> int:
        """The number itself, or the first one after it that is not hidden."""
        at = bisect_right(self._starts, number) - 1
        return self._joined[at][1] + 1 if at >= 0 and number <= self._joined[at][1] else number

    def shown(self, number: int) -> int:
        """The position among the visible ones of this one, or of the first visible one after it."""
        number = self.first_visible(number)
        return number - self._before[bisect_right(self._starts, number)]
