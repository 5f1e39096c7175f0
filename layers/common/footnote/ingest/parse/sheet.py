"""Turns a sheet's cells into tables; a sheet may have several, separated by empty rows or columns.

Rows and columns that a person does not see are left out: hidden by hand, by a filter, or in a collapsed group.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import accumulate, groupby, repeat, zip_longest

from footnote.ingest.parse.header import is_number
from footnote.ingest.parse.notes import check_mark, comment
from footnote.ingest.parse.struck import reported
from footnote.ingest.parse.table import MAX_AREA, blocks_of, divide, is_form, is_header, is_value, line_of
from footnote.types import Block, FileWithin, Parsed

MAX_CELLS = 500_000
"""Maximum non-empty cells of a file that are read."""

_MAX_REPEATS = 100_000
"""Maximum cells of a file that are filled from merged cells."""
_LONG_TEXT = 80
_MAX_TITLES = 5
_CHECKED = frozenset((check_mark(checked=True), "TRUE"))

Rows = dict[int, dict[int, str]]
"""Row → column → text, both from 0, sparse and ascending."""
Spans = Mapping[tuple[int, int], int]
"""(row, column) of a cell that is merged over several columns → the last of these columns."""


@dataclass(frozen=True)
class Comment:
    """A comment on a cell. `cell`: its name, `B4`; `remarks`: (author, text) of the comment and of its replies."""

    cell: str
    remarks: list[tuple[str, str]] = field(default_factory=list)

    def add(self, author: str, text: str) -> None:
        """Adds a remark. Programs write the author into the text of a note, too."""
        self.remarks.append((author, text.removeprefix(f"{author}:") if author else text))


Comments = dict[int, dict[int, Comment]]
"""Row → column → the comment on the cell."""


@dataclass
class Sheet:
    """A sheet with its non-empty cells. `number`: its position in the file, from 1."""

    name: str
    number: int
    rows: Rows = field(default_factory=dict)
    merged: list[tuple[int, int, int, int]] = field(default_factory=list)
    """(first row, first column, last row, last column) of each merged cell."""
    headers: set[int] = field(default_factory=set)
    """Rows that the file marks as names of columns."""
    hidden_rows: list[tuple[int, int]] = field(default_factory=list)
    """(first, last) of rows that Excel does not show or of which all text is struck."""
    hidden_columns: list[tuple[int, int]] = field(default_factory=list)
    extra: list[Block] = field(default_factory=list)
    """Charts and text boxes."""
    files: list[FileWithin] = field(default_factory=list)
    """Embedded files."""
    comments: Comments = field(default_factory=dict)
    unsaved: set[tuple[int, int]] = field(default_factory=set)
    """(row, column) of formulas whose values are not in the file, as in files of programs that do not calculate."""
    struck: Rows = field(default_factory=dict)
    """The whole texts of cells of which all or a part is struck through; `rows` has what is left of them."""


def cell_name(row: int, column: int) -> str:
    """`B4`, of a row and a column from 0."""
    letters = ""
    column += 1
    while column:
        column, letter = divmod(column - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return f"{letters}{row + 1}"


def cost(text: str) -> int:
    """How many of MAX_CELLS a cell uses: a long text counts as several, since any number of cells may share it."""
    return 1 + len(text) // 100


def to_parsed(sheets: Sequence[Sheet], title: str, count: int, hidden: int, is_cut: bool) -> Parsed:
    """The result for a file. `count`: number of its sheets; `hidden`: of hidden ones; `is_cut`: whether MAX_CELLS was exceeded."""
    repeats = _MAX_REPEATS
    hidden_rows = hidden_columns = 0
    blocks: list[Block] = []
    files: list[FileWithin] = []
    struck = 0
    for sheet in sheets:
        struck += _leave_out_struck(sheet)
        _leave_out_unsaved(sheet)
        rows, columns = _leave_out_hidden(sheet)
        hidden_rows, hidden_columns = hidden_rows + rows, hidden_columns + columns
        repeats = _spread(sheet, repeats)
        wide = {(top, left): right for top, left, _, right in sheet.merged if right > left}
        files += sheet.files
        found = [*tables(sheet.rows, wide, sheet.number, sheet.comments, sheet.headers), *sheet.extra]
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
    if unsaved := sum(len(sheet.unsaved) for sheet in sheets):
        reasons.append(f"Cells with formulas but no saved values: {unsaved}.")
        remedies.append("Open the file in a spreadsheet program, save it there and add it again.")
    said = " ".join(reasons) or None, " ".join(remedies) or None
    parsed = Parsed(tuple(blocks), title, count, reason=said[0], remedy=said[1], files=tuple(files))
    return reported(parsed, struck)


def _spread(sheet: Sheet, repeats: int) -> int:
    """Repeats cells merged over several rows in each non-empty row; returns how many more cells may be filled."""
    keys = list(sheet.rows)
    for top, left, bottom, _ in sheet.merged:
        text = sheet.rows.get(top, {}).get(left, "")
        for row in keys[bisect_right(keys, top) : bisect_right(keys, bottom)] if text and repeats > 0 else ():
            sheet.rows[row] = dict(sorted({left: text, **sheet.rows[row]}.items()))
            repeats -= 1
    return repeats


def tables(
    rows: Rows,
    wide: Spans | None = None,
    page: int | None = None,
    comments: Comments | None = None,
    headers: Set[int] = frozenset(),
    *,
    is_list: bool = False,
) -> list[Block]:
    """The tables, each with its titles, notes and comments. `headers`: see `Sheet`; `is_list`: whether the rows are records, which no
    empty columns divide, and empty rows only above another header."""
    blocks: list[Block] = []
    titles: list[Rows] = []
    open_comments = {row: dict(cells) for row, cells in (comments or {}).items()}
    regions = [region for band in _bands(rows, is_list=is_list) for region in ([band] if is_list else _parts(band))]
    for region, following in zip_longest(regions, regions[1:]):
        if _are_lines(region, following, is_first=not blocks):
            leads = following is not None and len(_columns(following)) > 1
            lines = map(line_of, _dense(region))
            blocks.extend(Block("caption" if leads else "paragraph", line, page=page) for line in lines)
            titles.append(region)
            if leads:
                continue  # its comments follow the table, since a title stands right above it
        else:
            blocks.extend(_table(region, wide or {}, open_comments, page, headers))
        for title in titles:
            blocks.extend(_take_comments(open_comments, title, [], len(title), page))
        titles = []
    on_empty_cells = [each for _, cells in sorted(open_comments.items()) for _, each in sorted(cells.items())]
    return [*blocks, *(block for each in on_empty_cells for block in comment(each.remarks, each.cell, page))]


def tables_of_list(lines: Sequence[list[str]]) -> list[Block]:
    """The tables of a list of records. Most lists are one table, without empty lines, which is put together faster."""
    width, cells = max(map(len, lines), default=0), sum(map(len, lines))
    if width > 1 and all(map(any, lines)) and width * len(lines) <= max(MAX_AREA, 2 * cells):
        rows = [line if len(line) == width else [*line, *[""] * (width - len(line))] for line in lines]
        used = [i for i, column in enumerate(zip(*rows, strict=True)) if any(column)]
        if len(used) > 1:
            return list(blocks_of(divide(rows if len(used) == width else [[row[i] for i in used] for row in rows])))
    return tables({i: {j: text for j, text in enumerate(line) if text} for i, line in enumerate(lines) if any(line)}, is_list=True)


def _take_comments(comments: Comments, region: Rows, header: Sequence[str], data: int, page: int | None) -> Iterator[Block]:
    """The comments on the cells of a table, which are no longer in `comments` then. `data`: the first of its rows below the header."""
    columns = {column: i for i, column in enumerate(_columns(region))} if comments else {}
    for place, number in enumerate(region if comments else ()):
        found = comments.get(number, {})
        for column in sorted(found.keys() & columns.keys()) if found else ():
            row, each = region[number], found.pop(column)
            names = [row.get(column, "")]
            if place >= data:
                names = [_first(row), header[columns[column]] if column != min(row) else ""]
            named = ", ".join(filter(None, names))
            yield from comment(each.remarks, named if 0 < len(named) <= _LONG_TEXT else each.cell, page)


def _are_lines(region: Rows, following: Rows | None, *, is_first: bool) -> bool:
    """Whether the rows are titles or notes: one cell each or, above a wider table, some of them, or labels with a colon; one or two rows
    above the first table with a header, too."""
    if len(region) > _MAX_TITLES:
        return False
    sizes = set(map(len, region.values()))
    if not is_first and all(map(_is_labels, region.values())) and (len(region) == 1 or not is_form(_dense(region))):
        return True
    if len(_columns(region)) == 1:
        texts = [_first(row) for row in region.values()]
        return len(texts) == 1 or (not any(map(is_number, texts)) and (following is not None or not is_first))
    if following is None or max(sizes) > min(2, len(_columns(following))) or is_header(rows := _dense(region)):
        return False
    is_title = is_first and (len(region) < 3 or _is_mixed(rows)) and is_header(_dense(following))
    return is_title or (2 * max(sizes) <= len(_columns(following)) and (1 in sizes or is_form(rows)))


def _is_labels(row: Mapping[int, str]) -> bool:
    """Whether a row is labels and values, each in a cell or in two: `Checked: Ott`, `Released:`, `Kim`."""
    is_value_of_label = False
    for text in row.values():
        if not is_value_of_label and not (": " in text or text.endswith(":")):
            return False
        is_value_of_label = text.endswith(":")
    return len(row) > 1


def _is_mixed(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the values below the first row are numbers and texts, as beside labels and not in a column."""
    return len(rows[0]) == 2 and len(set(map(is_number, (row[1] for row in rows[1:])))) > 1


def _bands(rows: Rows, *, is_list: bool = False) -> list[Rows]:
    """Splits rows at empty rows.

    The empty row is only visual if the rows below it continue the columns above and start with numbers instead of a header or are one
    row, or if above it is one row, the header."""
    bands: list[Rows] = []
    columns: set[int] = set()  # columns of the last band
    for _, group in groupby(enumerate(rows), key=lambda pair: pair[1] - pair[0]):
        band = {row: rows[row] for _, row in group}
        used = set(_columns(band))
        first = _first_wide(band)
        is_title = len(first) == 1 and min(first) == min(columns, default=0)
        has_data = (
            any(map(is_value, first.values()))
            or (len(band) == 1 and not _is_labels(first))
            or (is_list and bands and not is_header(_dense(band)))
        )
        is_below_header = bool(bands) and len(bands[-1]) == 1 and len(columns & used) > 1
        if len(columns) > 1 and (is_below_header or (columns >= used and has_data and not is_title)):
            bands[-1].update(band)
            columns |= used
        else:
            bands.append(band)
            columns = used
    return bands


def _dense(region: Rows) -> list[list[str]]:
    """The rows as lists of one length, without the columns that are empty."""
    columns = _columns(region)
    return [list(map(row.get, columns, repeat(""))) for row in region.values()]


def _regions(band: Rows) -> Iterator[Rows]:
    """Splits a band at columns that are empty throughout; each part is at least two columns wide. The rows of a form, which has no
    header, stay whole."""
    used = _columns(band)
    parts: list[list[int]] = []
    is_form = any(map(is_value, _first_wide(band).values()))
    for _, group in groupby(enumerate(used), key=lambda pair: pair[1] - pair[0]):
        columns = [column for _, column in group]
        if parts and (is_form or len(columns) < 2 or len(parts[-1]) < 2 or _only_continues(band, columns)):
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


def _parts(band: Rows) -> Iterator[Rows]:
    """The regions of a band, each of which ends where its header is repeated, or at the title above it: a table of its own follows."""
    for region in _regions(band):
        header, part = list(_first_wide(region).values()), Rows()
        is_named = len(header) > 1 and not any(map(is_number, header))
        for number, row in region.items():
            if is_named and list(row.values()) == header and sum(len(each) > 1 for each in part.values()) > 1:
                title = [last for last in list(part)[-1:] if len(part[last]) == 1]
                above = {last: part.pop(last) for last in title}
                yield part
                part = above
            part[number] = row
        yield part


def _only_continues(band: Rows, columns: Sequence[int]) -> bool:
    """Whether columns belong to the table at their left: the first has more numbers (or dashes) than words, with which no table starts,
    and they do not start with a header beside its numbers."""
    texts = [cells[columns[0]] for cells in band.values() if columns[0] in cells]
    if 2 * sum(is_number(text) or not any(map(str.isalnum, text)) for text in texts) <= len(texts):
        return False
    part = {row: kept for row, cells in band.items() if (kept := {column: cells[column] for column in columns if column in cells})}
    beside = band[next(iter(part))]
    return not is_header(_dense(part)) or not any(is_value(text) for column, text in beside.items() if column < columns[0])


def _first_wide(band: Rows) -> dict[int, str]:
    """The first row with more than one cell, or the first one."""
    return next((row for row in band.values() if len(row) > 1), next(iter(band.values())))


def _columns(region: Rows) -> list[int]:
    return sorted(set().union(*region.values()))


def _table(region: Rows, wide: Spans, comments: Comments, page: int | None, headers: Set[int]) -> Iterator[Block]:
    columns = _columns(region)
    place = {column: i for i, column in enumerate(columns)}
    merged = {
        i: {place[left]: bisect_right(columns, wide[number, left]) - 1 for left in region[number] if (number, left) in wide}
        for i, number in enumerate(region if wide else ())
    }
    if len(columns) == 1 and any(len(_first(row)) > _LONG_TEXT for row in region.values()):
        yield from (Block("paragraph", _first(row), page=page) for row in region.values())
    elif len(columns) * len(region) > max(MAX_AREA, 2 * sum(map(len, region.values()))):
        yield Block("paragraph", "\n".join(" | ".join(row.values()) for row in region.values()), page=page)
    else:
        divided = divide(_dense(region), merged, marked=int(next(iter(region)) in headers))
        yield from blocks_of(divided, page)
        data = len(region) - len(divided.below) - len(divided.rows) + 1
        yield from _take_comments(comments, region, divided.rows[0], data, page)


def _first(row: Mapping[int, str]) -> str:
    return next(iter(row.values()))


def _leave_out_struck(sheet: Sheet) -> int:
    """How many characters are struck. A row with a checked box whose name is struck is done and stays; rows and columns of which nothing
    is left close up, so that the table stays one."""
    struck = 0
    gone: set[int] = set()
    for row, cells in sheet.struck.items():
        kept = sheet.rows.get(row, {})
        others = [column for column, text in kept.items() if text not in _CHECKED]
        if len(others) < len(kept) and min(cells) <= min(others, default=min(cells)):
            sheet.rows[row] = dict(sorted({**kept, **cells}.items()))
            continue
        struck += sum(len(text) - len(kept.get(column, "")) for column, text in cells.items())
        gone.update(column for column in cells if column not in kept)
        if not kept:
            sheet.hidden_rows.append((row, row))
    if gone:
        gone.difference_update(*sheet.rows.values())
        sheet.hidden_columns += [(column, column) for column in gone]
    return struck


def _leave_out_unsaved(sheet: Sheet) -> None:
    """Leaves out the names of columns that have nothing but formulas without values, since a name would promise values."""
    for row, column in sheet.unsaved:
        above = sheet.rows.get(row - 1, {})
        if column not in above or is_number(above[column]) or column in sheet.rows.get(row - 2, {}):
            continue
        end = row
        while (end, column) in sheet.unsaved:
            end += 1
        if column not in sheet.rows.get(end, {}):
            del above[column]


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
    sheet.comments = {
        rows.shown(row): {columns.shown(column): each for column, each in cells.items() if column not in columns}
        for row, cells in sheet.comments.items()
        if row not in rows
    }
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
