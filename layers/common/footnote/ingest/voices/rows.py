"""The rows, records and mails of a parsed file, each with its values and their places in the file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from footnote.ingest.pieces import BAR, Piece, piece_of
from footnote.types import Block, Parsed

RECORDS = frozenset(("json", "yaml", "xml"))
KEY = re.compile(r"([^\s:][^:]{0,60}): ?(.*)", re.DOTALL)
MAIL_FIELDS = ("From", "To", "Cc", "Date")


@dataclass(frozen=True, slots=True)
class Cell:
    """A value of a row, and its place: `start` is its offset in the text of block number `block`."""

    text: str
    block: int
    start: int
    page: int | None = None

    @property
    def value(self) -> str:
        """The value without Markdown's escapes."""
        return self.text.replace("\\|", "|")


@dataclass(frozen=True, slots=True)
class Table:
    """Rows below one header; a missing cell is None."""

    header: tuple[str, ...]
    rows: tuple[tuple[Cell | None, ...], ...]


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail: its subject, its header's fields by name, and its body as pieces."""

    subject: Piece | None
    fields: dict[str, str]
    body: tuple[Piece, ...]


def tables_of(parsed: Parsed) -> tuple[list[Table], list[int]]:
    """The tables of a file, and the numbers of the blocks that belong to none. JSON records are one table."""
    if parsed.format in RECORDS:
        records, rest = _records(parsed.blocks)
        if records:
            return [records], rest
    tables, rest = [], []
    for number, block in enumerate(parsed.blocks):
        table = _table(number, block) if block.kind == "table" else None
        if table is None:
            rest.append(number)
        else:
            tables.append(table)
    return tables, rest


def _table(number: int, block: Block) -> Table | None:
    lines = block.text.split("\n")
    if len(lines) < 3:
        return None
    header = tuple(cell.text for cell in _cells(lines[0], number, 0, block.page))
    at = len(lines[0]) + len(lines[1]) + 2
    rows = []
    for line in lines[2:]:
        cells = [cell if cell.text else None for cell in _cells(line, number, at, block.page)]
        rows.append((*cells, *[None] * (len(header) - len(cells))))
        at += len(line) + 1
    return Table(header, tuple(rows))


def _cells(line: str, number: int, at: int, page: int | None) -> Iterator[Cell]:
    bars = [match.start() for match in BAR.finditer(line)]
    for before, after in pairwise(bars):
        text = line[before + 1 : after]
        yield Cell(text.strip(), number, at + before + 1 + len(text) - len(text.lstrip()), page)


def _records(blocks: Sequence[Block]) -> tuple[Table | None, list[int]]:
    """The lists of `key: value` lines that `ingest.parse.records` writes, one for each record below its name, which a line repeats. What is
    below a deeper heading is a value of the record before."""
    header: dict[str, int] = {}
    found: list[dict[int, Cell]] = []
    rest: list[int] = []
    inner = ""
    for number, block in enumerate(blocks):
        if block.kind == "heading":
            inner = block.text.rpartition(" › ")[2] if block.level > 1 and found else ""
            continue
        cells = _fields(number, block) if block.kind in ("list", "paragraph") and not inner else {}
        if inner:
            found[-1][header.setdefault(inner, len(header))] = Cell(block.text, number, 0, block.page)
        elif len(cells) < 2:
            rest.append(number)
        else:
            found.append({header.setdefault(key, len(header)): cell for key, cell in cells.items()})
    if len(found) < 1 or any(blocks[number].kind == "table" for number in rest):
        return None, rest
    return Table(tuple(header), tuple(tuple(row.get(i) for i in range(len(header))) for row in found)), rest


def _fields(number: int, block: Block) -> dict[str, Cell]:
    """Key → value of each line; indented lines, and further ones with its key, belong to the one above."""
    cells: dict[str, Cell] = {}
    at, key = 0, ""
    for line in block.text.split("\n"):
        mark = 2 if line.startswith("- ") else 0
        told = KEY.fullmatch(line, mark)
        if told is None or told[1] == key:
            if key:
                before = cells[key]
                cells[key] = Cell(block.text[before.start : at + len(line)], number, before.start)
        else:
            key = told[1]
            cells[key] = Cell(told[2], number, at + told.start(2))
        at += len(line) + 1
    return cells


def mails_of(parsed: Parsed) -> list[Mail]:
    """The mails of a mailbox, or the one that the file is."""
    starts = [*parsed.records] or [0]
    return [_mail(parsed.blocks, start, end) for start, end in zip(starts, [*starts[1:], len(parsed.blocks)], strict=True)]


def _mail(blocks: Sequence[Block], start: int, end: int) -> Mail:
    subject, fields = None, {}
    at = start
    if at < end and blocks[at].kind == "heading":
        subject = piece_of(at, blocks[at], None)
        at += 1
    if at < end and blocks[at].text.startswith(tuple(f"{name}: " for name in MAIL_FIELDS)):
        fields = dict(line.split(": ", 1) for line in blocks[at].text.split("\n") if ": " in line)
        at += 1
    body = tuple(piece_of(number, blocks[number], None) for number in range(at, end) if blocks[number].text.strip())
    return Mail(subject, fields, body)
