"""Parses delimited text into a table; also writes the Markdown tables of all parsers."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence

from footnote.ingest.parse.decode import decode
from footnote.text.answer_types import MONTHS
from footnote.types import Block, Parsed

_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_ROWS = 50
_DATE = re.compile(
    rf"(?:{MONTHS})\.? \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?|\d{{1,2}}\.? (?:{MONTHS})(?: \d{{4}})?"
    r"|(?:\d{4}년 ?)?\d{1,2}월(?: ?\d{1,2}일)?|\d{4}-\d\d-\d\d|\d{1,2}([./])\d{1,2}\1(?:\d{4})?",
    re.IGNORECASE,
)
_AMOUNT = re.compile(r"[€$£¥₩]? ?[-+]?(?:\d[\d.,]*[.,]\d+|\d{3,}|\d+ ?[%€$£¥₩원])(?: ?[€$£¥₩원])?")
_YEAR = re.compile(r"(?:19|20)\d\d")
MAX_AREA = 2_000_000
"""Cells of a table, including empty ones; in a larger table rows are not padded with empty cells."""


def parse(data: bytes) -> Parsed:
    """Parses delimited text (.csv, .tsv)."""
    text, hint = _take_hint(decode(data))
    csv.field_size_limit(max(len(text), 1 << 17))  # the default, 128 KiB, refuses longer fields; other code may rely on it
    rows = [[cell.strip() for cell in row] for row in _read(text, hint or _sniff(text)) if any(cell.strip() for cell in row)]
    blocks: list[Block] = []
    if len(rows) > 2 and sum(map(bool, rows[0])) == 1 < sum(map(bool, rows[1])):  # a title above the header
        blocks.append(Block("caption", next(filter(None, rows.pop(0)))))
    if rows:
        blocks.append(Block("table", to_markdown(rows)))
    return Parsed(tuple(blocks))


def to_markdown(rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table of rows of any length, the first of which is the header; "" without rows."""
    if not rows:
        return ""
    width = max(len(row) for row in rows)
    filled = width if width * len(rows) <= MAX_AREA else 0
    lines = ["| " + " | ".join([*map(_cell, row), *[""] * (filled - len(row))]) + " |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * width, *lines[1:]])


def with_header(rows: Sequence[Sequence[str]]) -> Sequence[Sequence[str]]:
    """The rows, below an empty header if the first one is data already: a date above other dates or, in a table of two columns, an
    amount above others. Years, dates above amounts and the steps of a scale are headers."""
    if len(rows) < 2 or not rows[0]:
        return rows
    patterns = (_DATE, _AMOUNT) if len(rows[0]) == 2 else (_DATE,)
    columns: list[list[str]] = [[] for _ in rows[0]]
    for row in rows[1:]:
        for column, text in zip(columns, row, strict=False):
            if text:
                column.append(text)
    for text, below in zip(rows[0], columns, strict=True):
        for pattern in patterns:
            if (
                pattern.fullmatch(text)
                and not _YEAR.fullmatch(text)
                and 2 * sum(map(bool, map(pattern.fullmatch, below))) >= len(below) > 0
            ):
                return [[""] * len(rows[0]), *rows]
    return rows


def fill_spans(rows: Sequence[Sequence[tuple[str | None, int]]]) -> list[list[str]]:
    """Expands (text, columns) cells into plain rows.

    A cell over several columns is followed by empty ones; None repeats the cell above. Empty rows and columns are left out."""
    filled: list[list[str]] = []
    for row in rows:
        texts: list[str] = []
        for text, columns in row:
            above = filled[-1][len(texts)] if filled and len(texts) < len(filled[-1]) else ""
            texts.extend([above if text is None else text, *[""] * (columns - 1)])
        filled.append(texts)
    kept = [row for row in filled if any(row)]
    used = [i for i in range(max(map(len, kept), default=0)) if any(i < len(row) and row[i] for row in kept)]
    return [[row[i] if i < len(row) else "" for i in used] for row in kept]


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _read(text: str, delimiter: str) -> list[list[str]]:
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True))
    except csv.Error:  # an unbalanced quote: treat quotes as plain characters
        return [line.split(delimiter) for line in text.split("\n")]


def _take_hint(text: str) -> tuple[str, str]:
    """(text without Excel's first line `sep=;`, the delimiter in that line)."""
    first, _, rest = text.partition("\n")
    return (rest, first[4]) if first.startswith("sep=") and len(first) == 5 else (text, "")


def _sniff(text: str) -> str:
    """The delimiter that splits most rows into the same number of fields, at least two."""
    best, best_score = ",", 0.0
    sample = text[: 1 << 16]
    for delimiter in _DELIMITERS:
        widths = [len(row) for row in _read(sample, delimiter)[:_SAMPLE_ROWS] if row]
        width, rows = Counter(widths).most_common(1)[0] if widths else (0, 0)
        score = rows / len(widths) * min(width, 8) if width > 1 else 0.0
        if score > best_score:
            best, best_score = delimiter, score
    return best
