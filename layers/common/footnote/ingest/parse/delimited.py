"""Parses delimited text into tables, as a sheet's cells."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from itertools import takewhile

from footnote.ingest.parse.decode import decode
from footnote.ingest.parse.sheet import tables_of_list
from footnote.ingest.parse.table import is_header
from footnote.types import Block, Parsed

_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_ROWS = 50
_MAX_COMMENTS = 100
_ROUNDED = re.compile(r"[-+]?\d[.,]\d{3,6}E\+(?:1[2-9]|[2-9]\d)")
"""How spreadsheet programs write a number of more than twelve digits in a column that is narrow: the others are lost."""


def parse(data: bytes) -> Parsed:
    """Parses delimited text (.csv, .tsv)."""
    text, hint = _take_hint(decode(data))
    csv.field_size_limit(max(len(text), 1 << 17))  # the default, 128 KiB, refuses longer fields; other code may rely on it
    comments, text = _take_comments(text)
    lines = [list(map(str.strip, line)) for line in _read(text, hint or _sniff(text))]
    while lines and not any(lines[-1]):
        lines.pop()
    blocks = (*(Block("caption", line) for line in comments), *tables_of_list(lines))
    rounded = _rounded(lines) if "E+" in text else []
    if not rounded:
        return Parsed(blocks)
    return Parsed(
        blocks,
        reason=f"Numbers saved in a rounded form, such as {rounded[0]}: {len(rounded)}.",
        remedy="Export the file again with these columns formatted as text.",
    )


def _rounded(lines: list[list[str]]) -> list[str]:
    """The numbers that have lost digits, in columns with at least two of them."""
    columns: dict[int, list[str]] = {}
    for line in lines:
        for column, text in enumerate(line):
            if "E+" in text and _ROUNDED.fullmatch(text):
                columns.setdefault(column, []).append(text)
    return [text for found in columns.values() if len(found) > 1 for text in found]


def _read(text: str, delimiter: str) -> list[list[str]]:
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True))
    except csv.Error:  # an unbalanced quote: treat quotes as plain characters
        return [line.split(delimiter) for line in text.split("\n")]


def _take_hint(text: str) -> tuple[str, str]:
    """(text without Excel's first line `sep=;`, the delimiter in that line)."""
    first, _, rest = text.partition("\n")
    return (rest, first[4]) if first.startswith("sep=") and len(first) == 5 else (text, "")


def _take_comments(text: str) -> tuple[list[str], str]:
    """(the lines above the header that are marked as comments, the rest).

    The last one may be the header: it is if it is divided like the row below, which is no header itself."""
    lines = text.split("\n", _MAX_COMMENTS)
    marked = list(takewhile(lambda line: line.startswith("#"), lines[:-1]))
    if not marked:
        return [], text
    rest = "\n".join(lines[len(marked) :])
    delimiter = _sniff(rest)
    rows = [row for row in _read("\n".join((marked[-1], rest[: 1 << 16])), delimiter) if any(row)][:_SAMPLE_ROWS]
    if len(rows) > 1 and len(rows[0]) == len(rows[1]) > 1 and not is_header(rows[1:]):
        rest = f"{marked.pop().lstrip('# ') or '#'}\n{rest}" if rows[0][0].strip("# ") else f"{marked.pop()}\n{rest}"
    return [stripped for line in marked if (stripped := line.strip("# \t\r,;"))], rest


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
