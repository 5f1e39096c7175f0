"""Tables of all formats: their header, found by structure, and their Markdown.

Titles and notes have few cells, and a header has text above the columns of numbers. Nothing depends on what a cell says.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from footnote.ingest.parse import header
from footnote.ingest.parse.header import is_number, is_year
from footnote.types import Block

MAX_AREA = 2_000_000
"""Cells of a table, including empty ones; in a larger table rows are not padded with empty cells."""

_SAMPLE = 200
"""Rows that the types of the columns are taken from."""
_MAX_ABOVE = 30
_MAX_LEVELS = 3
"""Maximum rows of a header."""

Row = Sequence[str]
Merged = Mapping[int, Mapping[int, int]]
"""Row → column of a cell that is merged over several columns → the last of these."""


class Divided(NamedTuple):
    """The parts of a table."""

    above: list[str]
    """Titles and notes above the header."""
    rows: list[Row]
    """The table, with its header first: an empty one if the table has none."""
    below: list[str]
    """Notes below the table."""


def divide(rows: Sequence[Row], merged: Merged | None = None, *, is_sheet: bool = True, marked: int = 0) -> Divided:
    """Divides rows of one length into what is above the table, the table and what is below it. A row that one cell fills is a title or a
    note if it is the first or the last.

    `is_sheet`: whether titles and notes also reach over empty cells, which in a document are left to be filled in. `marked`: rows at the
    start that the file marks as the header; 0 = it says nothing of it."""
    merged = merged or {}
    width = len(rows[0]) if rows else 0
    is_filled = [width > 1 and merged.get(i, {}).get(0) == width - 1 for i in range(len(rows))]
    above, rest = _split_above(rows, is_filled, is_sheet=is_sheet)
    rest, below = _split_below(rest, is_filled[len(above) :], is_sheet=is_sheet)
    known = max(marked - len(above), 0)
    rest = rest if known else with_header(rest, merged.get(len(above)))
    for level in range(1, _MAX_LEVELS):
        over = merged.get(len(above) + level - 1, {})
        if len(rest) < 3 or not any(rest[0]):
            break
        may_join = is_sheet or over or not rest[1][0]  # a name of a document reaches over merged cells, not over those to be filled in
        if not (level < known if known else may_join and header.goes_on(rest, over)):
            break
        rest = [_joined(rest[0], rest[1], over), *rest[2:]]
    return Divided([line_of(row) for row in above], list(rest), [line_of(row) for row in below])


def blocks_of(parts: Divided, page: int | None = None) -> Iterator[Block]:
    """The table between the captions above it and the paragraphs below it."""
    yield from (Block("caption", text, page=page) for text in parts.above)
    if parts.rows:
        yield Block("table", to_markdown(parts.rows), page=page)
    yield from (Block("paragraph", text, page=page) for text in parts.below)


def is_value(text: str) -> bool:
    """Whether a cell is a number that is no year, which may be the name of a column."""
    return is_number(text) and not is_year(text)


def line_of(row: Row) -> str:
    """The cells as a line of text: `Created: today`, `In millions · 2024`."""
    text = ""
    for cell in filter(None, row):
        text += f"{' ' if text.endswith(':') else ' · ' if text else ''}{cell}"
    return text


def is_form(rows: Sequence[Row]) -> bool:
    """Whether the rows are labels, each with a colon, and values."""
    return len(rows[0]) == 2 and all(row[0].endswith((":", "：")) for row in rows)


def is_header(rows: Sequence[Row]) -> bool:
    """Whether the first row has text, or years above other numbers, in all columns of numbers."""
    found = _above_numbers(rows)
    return bool(found) and all(not is_number(text) or _is_year_above(text, below) for text, below in found.values())


def _is_year_above(text: str, below: Sequence[str]) -> bool:
    return is_year(text) and 2 * sum(map(is_year, below)) < len(below)


def with_header(rows: Sequence[Row], merged: Mapping[int, int] | None = None) -> Sequence[Row]:
    """The rows, below an empty header if the first one is data already. `merged`: column of a cell of the first one that is merged over
    several → the last of these."""
    if len(rows) < 2 or len(rows[0]) < 2:
        return rows
    return [[""] * len(rows[0]), *rows] if is_form(rows) or not header.is_header(rows, merged) else rows


def _above_numbers(rows: Sequence[Row]) -> dict[int, tuple[str, list[str]]]:
    """(cell of the first row, those below it) for each column of mostly numbers; a dash is no cell."""
    cells = enumerate(zip(rows[0], _columns(rows[1:], len(rows[0])), strict=True))
    return {
        column: (text, below)
        for column, (text, below) in cells
        if _has_sense(text) and below and 5 * sum(map(is_number, below)) >= 3 * len(below)
    }


def _columns(rows: Sequence[Row], width: int) -> list[list[str]]:
    """The cells of each column, without dashes."""
    columns: list[list[str]] = [[] for _ in range(width)]
    for row in rows[:_SAMPLE]:
        for column, text in zip(columns, row, strict=False):
            if text and _has_sense(text):
                column.append(text)
    return columns


def _has_sense(text: str) -> bool:
    return any(map(str.isalnum, text))


def _split_above(rows: Sequence[Row], is_filled: Sequence[bool], *, is_sheet: bool) -> tuple[list[Row], Sequence[Row]]:
    usual = _usual_cells(rows)
    end = 0
    while end < min(_MAX_ABOVE, len(rows) - 2):
        row = rows[end]
        is_line = _is_line(row, usual) and not is_number(line_of(row)) and not _is_name(row, rows[end + 1])
        is_line = is_line and (is_sheet or (len(row) > 2 and not any(row[1:])))
        if not is_filled[end] and not is_line and not _is_label_above_header(rows[end : end + _SAMPLE]):
            break
        end += 1
    return list(rows[:end]), rows[end:]


def _split_below(rows: Sequence[Row], is_filled: Sequence[bool], *, is_sheet: bool) -> tuple[Sequence[Row], list[Row]]:
    """Notes are at the end only, while a table with rows of few cells has others above them."""
    usual = _usual_cells(rows)
    end = len(rows)
    while end > 2 and is_filled[end - 1]:
        end -= 1
    certain = end
    if not is_sheet:
        return rows[:end], list(rows[end:])
    while end > 2 and usual > 2 and not any(map(is_number, rows[end - 1])) and rows[end - 1][0] and _is_line(rows[end - 1], usual):
        end -= 1
    others = rows[1:end]
    if any(_is_line(row, usual) for row in others[-_SAMPLE:]):
        end = certain
    return rows[:end], list(rows[end:])


def _usual_cells(rows: Sequence[Row]) -> int:
    """The median of the number of cells that the rows with more than one have."""
    counts = sorted(count for count in (sum(map(bool, row)) for row in rows[: _MAX_ABOVE + _SAMPLE]) if count > 1)
    return counts[len(counts) // 2] if counts else 1


def _is_line(row: Row, usual: int) -> bool:
    """Whether a row is a line of text: one cell, or a few of many, which stand at the left or at both ends."""
    filled = [i for i, text in enumerate(row) if text]
    if len(filled) < 2:
        return len(filled) == 1 < usual
    return 2 * len(filled) <= usual and (filled[-1] == len(filled) - 1 or filled == [0, len(row) - 1])


def _is_name(row: Row, below: Row) -> bool:
    """Whether a row's only cell names a column: one of two, without a name for the first, or one whose numbers start right below."""
    column = next(i for i, text in enumerate(row) if text)
    return column > 0 and not any(row[column + 1 :]) and (len(row) == 2 or is_value(below[column]))


def _is_label_above_header(rows: Sequence[Row]) -> bool:
    """Whether the first row is a label with its value, `As of | 2024`, and a header with more cells follows."""
    row = rows[0]
    is_label = sum(map(bool, row)) == 2 and bool(row[0] and row[1]) and (row[0].endswith(":") or is_number(row[1]))
    return is_label and len(row) > 2 and all(rows[1]) and is_header(rows[1:])


def _joined(upper: Row, lower: Row, merged: Mapping[int, int] | None) -> Row:
    """The header of two rows: `2024` over `Fee` and `Visits` → `2024 Fee`, `2024 Visits`. A name reaches over its merged cells or, if none
    are known, over the gaps beside it."""
    if merged:
        return _under(upper, lower, merged)
    starts = [i for i, text in enumerate(upper) if text]
    ends = [*(start - 1 for start in starts[1:]), len(upper) - 1]
    return _under(upper, lower, {start: end for start, end in zip(starts, ends, strict=True) if lower[start]})


def _under(upper: Row, lower: Row, last: Mapping[int, int]) -> Row:
    """The lower row with the upper one's texts before it. `last`: where each of these ends."""
    header = list(upper)
    for left, text in enumerate(upper):
        for column in range(left, min(last.get(left, left), len(lower) - 1) + 1) if text else ():
            if lower[column]:
                header[column] = lower[column] if lower[column] == text else f"{text} {lower[column]}"
    return [text or below for text, below in zip(header, lower, strict=True)]


def to_markdown(rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table of rows of any length, the first of which is the header; "" without rows."""
    if not rows:
        return ""
    width = max(len(row) for row in rows)
    filled = width if width * len(rows) <= MAX_AREA else 0
    lines = [f"| {_cells(row)}{' | ' * (filled - max(len(row), 1))} |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * width, *lines[1:]])


def fill_spans(rows: Sequence[Sequence[tuple[str | None, int]]]) -> tuple[list[list[str]], Merged]:
    """Expands (text, columns) cells into plain rows. Returns which of their cells are merged, too.

    A cell over several columns is followed by empty ones; None repeats the cell above. Empty rows and columns are left out."""
    filled: list[list[str]] = []
    wide: list[dict[int, int]] = []
    for row in rows:
        texts: list[str] = []
        wide.append({})
        for text, columns in row:
            if columns > 1:
                wide[-1][len(texts)] = len(texts) + columns - 1
            above = filled[-1][len(texts)] if filled and len(texts) < len(filled[-1]) else ""
            texts.extend([above if text is None else text, *[""] * (columns - 1)])
        filled.append(texts)
    kept = [(row, ends) for row, ends in zip(filled, wide, strict=True) if any(row)]
    used = [i for i in range(max((len(row) for row, _ in kept), default=0)) if any(i < len(row) and row[i] for row, _ in kept)]
    place = {column: i for i, column in enumerate(used)}
    merged = {
        number: {place[left]: bisect_right(used, right) - 1 for left, right in ends.items() if left in place}
        for number, (_, ends) in enumerate(kept)
        if ends
    }
    return [[row[i] if i < len(row) else "" for i in used] for row, _ in kept], merged


def _cells(row: Sequence[str]) -> str:
    """The cells of a row, one space between words; a whole row at once is three times as fast as its cells."""
    text = "\0".join(row)
    if text.count("\0") >= max(len(row), 1):
        text = "\0".join(cell.replace("\0", "") for cell in row)
    text = " ".join(text.split())
    return text.replace(" \0", "\0").replace("\0 ", "\0").replace("|", "\\|").replace("\0", " | ")
