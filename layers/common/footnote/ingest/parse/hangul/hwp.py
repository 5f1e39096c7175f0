"""Parses Hangul files of the binary format 5 (.hwp): a tree of records in OLE streams, as Hancom's published specification has it."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from footnote.errors import UnreadableFile
from footnote.ingest.parse import html
from footnote.ingest.parse.decode import spaced
from footnote.ingest.parse.hangul.story import OUTLINE, Cell, Numbering, Paragraph, Table, headers_first, to_blocks
from footnote.ingest.parse.ole import MAX_STREAM, Container
from footnote.ingest.parse.package import damaged, needs_password
from footnote.ingest.parse.title import usable_title
from footnote.types import Parsed

# tags of records
_PARA_SHAPE, _STYLE, _PARAGRAPH, _TEXT, _CONTROL, _LIST, _COMPONENT, _TABLE, _EQUATION = 25, 26, 66, 67, 71, 72, 76, 77, 88
_COMPRESSED, _PASSWORD, _DISTRIBUTION = 1, 2, 4
_KINDS = ("NONE", "OUTLINE", "NUMBER", "BULLET")
_ONE_UNIT = {0: "", 10: "\0", 13: "", 24: "-", 30: " ", 31: " "}
"""Control characters of one UTF-16 unit; each other takes eight."""
_MAX_RECORDS = 2_000_000


@dataclass
class _Record:
    """A record with those of the levels below it."""

    tag: int
    data: bytes
    inner: list[_Record] = field(default_factory=list)


def parse(data: bytes) -> Parsed:
    """Parses a Hangul file (.hwp)."""
    file = Container(data)
    header = file.read("FileHeader")
    if len(header) < 40:
        raise damaged()
    flags = int.from_bytes(header[36:40], "little")
    if flags & _PASSWORD:
        raise needs_password()
    if flags & _DISTRIBUTION:
        raise UnreadableFile(
            "This Hangul file is a distribution copy, whose text is locked.", "Save the original as .hwpx or PDF and add that."
        )
    packed = bool(flags & _COMPRESSED)
    reader = _Reader(_records(file, "DocInfo", packed))
    numbers = (int(match[1]) for name in file.names if (match := re.fullmatch(r"BodyText/Section(\d{1,5})", name)))
    story = [
        paragraph for number in sorted(numbers) for paragraph in reader.story(_records(file, f"BodyText/Section{number}", packed).inner)
    ]
    blocks = list(to_blocks(story))
    title = usable_title(file.property("\x05HwpSummaryInformation", 2))
    return Parsed(tuple(headers_first(reader.headers, blocks)), title or html.first_heading(blocks))


def _records(file: Container, name: str, packed: bool) -> _Record:
    """A stream's records, as the inner ones of one without a tag."""
    data = file.read(name)
    if packed and data:
        unpack = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            data = unpack.decompress(data, MAX_STREAM)
        except zlib.error as exc:
            raise damaged() from exc
        if unpack.unconsumed_tail:
            raise UnreadableFile("This file is too large when unpacked.", "Split it into smaller files and add those.")
    root = _Record(0, b"")
    above = [root]  # the last record of each level, below the root
    at, left = 0, _MAX_RECORDS
    while at + 4 <= len(data):
        (head,) = struct.unpack_from("<I", data, at)
        at += 4
        level, size = head >> 10 & 0x3FF, head >> 20
        if size == 0xFFF:
            size = int.from_bytes(data[at : at + 4], "little")
            at += 4
        left -= 1
        if at + size > len(data) or left < 0:
            raise damaged()
        record = _Record(head & 0x3FF, data[at : at + size])
        del above[min(level, len(above) - 1) + 1 :]
        above[-1].inner.append(record)
        above.append(record)
        at += size
    return root


class _Reader:
    """Reads sections, with the styles of DocInfo. Records that are nested too deeply end in a RecursionError."""

    def __init__(self, info: _Record) -> None:
        self.headers: list[Paragraph] = []
        self._kinds: list[tuple[str, int]] = []  # of paragraph shapes: (one of _KINDS, level)
        self._levels: list[int] = []  # of styles
        self._numbering = Numbering()
        for record in _all(info):
            if record.tag == _PARA_SHAPE:
                bits = int.from_bytes(record.data[:4], "little")
                self._kinds.append((_KINDS[bits >> 23 & 3], bits >> 25 & 7))
            elif record.tag == _STYLE:
                self._levels.append(next((int(m[1]) for name in _names(record.data) if (m := OUTLINE.fullmatch(name))), 0))

    def story(self, records: list[_Record]) -> list[Paragraph]:
        return [self._paragraph(record) for record in records if record.tag == _PARAGRAPH]

    def _paragraph(self, record: _Record) -> Paragraph:
        text = next((_text(inner.data) for inner in record.inner if inner.tag == _TEXT), "")
        found = Paragraph("")
        scripts: list[str] = []
        for control in record.inner:
            if control.tag == _CONTROL:
                self._control(control, found.inside, scripts)
        found.text = spaced(" ".join([text, *scripts]))
        shape = int.from_bytes(record.data[8:10], "little")
        style = record.data[10] if len(record.data) > 10 else 0
        kind, depth = self._kinds[shape] if shape < len(self._kinds) else ("NONE", 0)
        level = self._levels[style] if style < len(self._levels) else 0
        self._numbering.mark(found, kind, depth, level)
        return found

    def _control(self, control: _Record, inside: list[Table | list[Paragraph]], scripts: list[str]) -> None:
        """Reads what is anchored in a paragraph: a table, a drawing, a note, an equation."""
        name = control.data[3::-1]
        if name == b"tbl ":
            inside.append(self._table(control))
        elif name in (b"head", b"foot"):
            self.headers += self.story(control.inner)
        elif name == b"eqed":
            scripts += [_counted(record.data, 4)[0] for record in control.inner if record.tag == _EQUATION]
        elif name in (b"fn  ", b"en  "):
            inside.append(self.story(control.inner))
        elif name == b"gso ":
            self._drawing(control, inside)

    def _drawing(self, record: _Record, inside: list[Table | list[Paragraph]]) -> None:
        """The text boxes of a drawing, of the drawings grouped in it, and its caption."""
        if story := self.story(record.inner):
            inside.append(story)
        for inner in record.inner:
            if inner.tag == _COMPONENT:
                self._drawing(inner, inside)

    def _table(self, control: _Record) -> Table:
        """Each list starts a cell, with the paragraphs after it; lists before the table's own record are its caption."""
        table = Table([])
        is_caption = True
        content = table.caption
        for record in control.inner:
            if record.tag == _TABLE:
                is_caption = False
            elif record.tag == _LIST and not is_caption and len(record.data) >= 16:
                column, row, columns, rows = struct.unpack_from("<4H", record.data, 8)
                content = []
                table.cells.append(Cell(row, column, rows, columns, content))
            elif record.tag == _PARAGRAPH:
                content.append(self._paragraph(record))
        return table


def _all(record: _Record) -> Iterator[_Record]:
    for inner in record.inner:
        yield inner
        yield from _all(inner)


def _names(data: bytes) -> Iterator[str]:
    """A style's name, in Korean and in English."""
    name, at = _counted(data, 0)
    yield name.strip()
    yield _counted(data, at)[0].strip()


def _counted(data: bytes, at: int) -> tuple[str, int]:
    """(a text that its length precedes, where it ends)."""
    end = at + 2 + 2 * int.from_bytes(data[at : at + 2], "little")
    return data[at + 2 : end].decode("utf-16-le", "replace"), end


def _text(data: bytes) -> str:
    """A paragraph's text without its controls; they keep the place of what is anchored there."""
    units = struct.unpack(f"<{len(data) // 2}H", data[: len(data) // 2 * 2])
    pieces: list[bytes] = []
    at = 0
    while at < len(units):
        unit = units[at]
        if unit >= 32:
            pieces.append(data[2 * at : 2 * at + 2])
        elif unit in _ONE_UNIT:
            pieces.append(_ONE_UNIT[unit].encode("utf-16-le"))
        else:
            pieces.append(" ".encode("utf-16-le") if unit == 9 else b"")
            at += 7
        at += 1
    return b"".join(pieces).decode("utf-16-le", "replace")
