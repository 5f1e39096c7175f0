"""Leaves out the rows and columns of a sheet that a person does not see: hidden by hand, by a filter, or in a collapsed group."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from footnote.ingest.parse.sheet import Sheet


def leave_out_hidden(sheet: Sheet) -> tuple[int, int]:
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
