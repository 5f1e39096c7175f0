"""Tables of all formats: their header, found by structure, and their Markdown.

Titles and notes have few cells, and a header has text above the columns of numbers. Nothing depends on what a cell says.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import filterfalse, pairwise
from typing import NamedTuple

from footnote.text.answer_types import MONTHS
from footnote.types import Block

MAX_AREA = 2_000_000
"""Cells of a table, including empty ones; in a larger table rows are not padded with empty cells."""

_SAMPLE = 200
"""Rows that the types of the columns are taken from."""
_MAX_ABOVE = 30
_MAX_LEVELS = 3
"""Maximum rows of a header."""
_DATE = re.compile(
    rf"(?:{MONTHS})\.? \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?|\d{{1,2}}\.? (?:{MONTHS})(?: \d{{4}})?"
    r"|(?:\d{4}년 ?)?\d{1,2}월(?: ?\d{1,2}일)?|\d{4}-\d\d-\d\d|\d{1,2}([./])\d{1,2}\1(?:\d{4})?",
    re.IGNORECASE,
)
_AMOUNT = re.compile(r"[€$£¥₩]? ?[-+]?(?:\d[\d.,]*[.,]\d+|\d{3,}|\d+ ?[%€$£¥₩원])(?: ?[€$£¥₩원])?")
_YEAR = re.compile(r"(?:19|20)\d\d")
_NUMBER = re.compile(r"[^\w\s]{0,3}\s?\d[\d.,:\s-]*(?:e[+-]?\d+)?\s?(?:%|[^\w\s]{1,3}|[A-Z]{3})?", re.IGNORECASE)

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


def is_number(text: str) -> bool:
    """Whether a cell is a number, an amount, a share or a date in digits."""
    return bool(_NUMBER.fullmatch(text))


def divide(rows: Sequence[Row], merged: Merged | None = None, *, is_sheet: bool = True) -> Divided:
    """Divides rows of one length into what is above the table, the table and what is below it. A row that one cell fills is a title or a
    note if it is the first or the last.

    `is_sheet`: whether titles and notes also reach over empty cells, which in a document are left to be filled in."""
    merged = merged or {}
    width = len(rows[0]) if rows else 0
    is_filled = [width > 1 and merged.get(i, {}).get(0) == width - 1 for i in range(len(rows))]
    above, rest = _split_above(rows, is_filled, is_sheet=is_sheet)
    rest, below = _split_below(rest, is_filled[len(above) :], is_sheet=is_sheet)
    for level in range(len(above), len(above) + _MAX_LEVELS - 1):
        header = _joined(rest, merged.get(level), is_sheet=is_sheet) if len(rest) > 2 else None
        if header is None:
            break
        rest = [header, *rest[2:]]
    return Divided([line_of(row) for row in above], list(with_header(rest)), [line_of(row) for row in below])


def blocks_of(parts: Divided, page: int | None = None) -> Iterator[Block]:
    """The table between the captions above it and the paragraphs below it."""
    yield from (Block("caption", text, page=page) for text in parts.above)
    if parts.rows:
        yield Block("table", to_markdown(parts.rows), page=page)
    yield from (Block("paragraph", text, page=page) for text in parts.below)


def is_value(text: str) -> bool:
    """Whether a cell is a number that is no year, which may be the name of a column."""
    return is_number(text) and not _YEAR.fullmatch(text)


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
    return bool(_YEAR.fullmatch(text)) and 2 * sum(map(bool, map(_YEAR.fullmatch, below))) < len(below)


def with_header(rows: Sequence[Row]) -> Sequence[Row]:
    """The rows, below an empty header if the first one is data already: a date above other dates, numbers above numbers that do not
    count upwards or, in a table of two columns, an amount above others or a label with a colon above others. Years, dates above amounts
    and the steps of a scale are headers."""
    if len(rows) < 2 or not rows[0]:
        return rows
    is_data = is_form(rows) or _starts_with_date(rows) or _starts_with_numbers(rows)
    return [[""] * len(rows[0]), *rows] if is_data else rows


def _starts_with_date(rows: Sequence[Row]) -> bool:
    patterns = (_DATE, _AMOUNT) if len(rows[0]) == 2 else (_DATE,)
    for text, below in zip(rows[0], _columns(rows[1:], len(rows[0])), strict=True):
        for pattern in patterns:
            if not pattern.fullmatch(text) or _YEAR.fullmatch(text):
                continue
            if 2 * sum(map(bool, map(pattern.fullmatch, below))) >= len(below) > 0:
                return True
    return False


def _starts_with_numbers(rows: Sequence[Row]) -> bool:
    """Whether the first row has numbers above all columns of numbers, and they are no scale in neighbouring columns: `2023, 2024` or
    `100, 200, 500`."""
    above = _above_numbers(rows)
    found = [text for text, _ in above.values()]
    if not found or not all(map(is_number, found)) or any(map(_DATE.fullmatch, found)) or all(map(_YEAR.fullmatch, found)):
        return False
    if not all(map(str.isdecimal, found)):
        return len(found) > 1 or "." in found[0] or "," in found[0] or _is_written_like(*above.popitem()[1])
    numbers = [int(text[:20]) for text in found]
    if len(numbers) == 1:
        counts = rows[0][0].isdecimal() and rows[1][0].isdecimal() and int(rows[1][0][:20]) == int(rows[0][0][:20]) + 1
        return counts or (len(rows[0]) > 2 and len(rows) > 2)
    is_parted = any(rows[0][column] and column not in above for column in range(min(above), max(above)))
    return is_parted or any(after <= before for before, after in pairwise(numbers))


def _is_written_like(text: str, below: Sequence[str]) -> bool:
    """Whether a number has the signs that most of those below it have, as the telephone numbers of a list do."""
    signs = set(filterfalse(str.isdigit, text))
    return 2 * sum(signs == set(filterfalse(str.isdigit, other)) for other in below) > len(below)


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


def _joined(rows: Sequence[Row], merged: Mapping[int, int] | None, *, is_sheet: bool) -> Row | None:
    """The header of the first two rows if both belong to it: `2024` over `Fee` and `Visits` → `2024 Fee`, `2024 Visits`.

    They do if the upper one has merged cells and the lower one, without numbers, adds nothing to its other cells, or if the lower one has
    text above numbers, below merged cells or the upper one's gaps or beside gaps of its own."""
    upper, lower = rows[0], rows[1]
    if any(map(is_value, lower)) or not any(lower):
        return None
    if merged:
        is_same = all(not (text and lower[i]) or text == lower[i] for i, text in enumerate(upper) if i not in merged)
        return _under(upper, lower, merged) if is_same or is_header(rows[1:]) else None
    if not is_header(rows[1:]):
        return None
    gaps = [i for i, text in enumerate(upper) if not text and lower[i]]
    if not (gaps and is_sheet) and (lower[0] or not any(row[0] for row in rows[2:_SAMPLE])):
        return None
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
