"""Builds OLE containers, Outlook messages, Hangul files and binary Excel files, without any code of the parsers under test."""

from __future__ import annotations

import itertools
import struct
import zlib
from collections.abc import Mapping, Sequence

from tests.footnote.ingest.packages import relations, zip_of

_SECTOR, _MINI, _CUTOFF = 512, 64, 4096
_FREE, _END, _FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
Tree = Mapping[str, "bytes | Tree"]
"""Name → a stream, or a storage with more of them."""


def ole(tree: Tree) -> bytes:
    """An OLE container of version 3."""
    entries: list[list[object]] = [["Root Entry", 5, _FREE, _FREE, 0, 0]]  # name, type, right sibling, child, start, size
    sectors, fat, mini, mini_fat = bytearray(), [], bytearray(), []

    def chain(data: bytes, target: bytearray, table: list[int], unit: int) -> int:
        first = len(table)
        count = -(-len(data) // unit)
        table.extend([*range(first + 1, first + count), _END])
        target += data.ljust(count * unit, b"\0")
        return first

    def add(level: Tree) -> int:
        numbers = []
        for name, content in level.items():
            number = len(entries)
            numbers.append(number)
            if isinstance(content, bytes):
                small = len(content) < _CUTOFF
                where = (mini, mini_fat, _MINI) if small else (sectors, fat, _SECTOR)
                entries.append([name, 2, _FREE, _FREE, chain(content, *where) if content else _END, len(content)])
            else:
                entries.append([name, 1, _FREE, _FREE, 0, 0])
                entries[number][3] = add(content)
        for number, following in itertools.pairwise(numbers):
            entries[number][2] = following
        return numbers[0] if numbers else _FREE

    entries[0][3] = add(tree)
    entries[0][4:] = [chain(bytes(mini), sectors, fat, _SECTOR) if mini else _END, len(mini)]
    mini_start = chain(struct.pack(f"<{len(mini_fat)}I", *mini_fat).ljust(_SECTOR, b"\xff"), sectors, fat, _SECTOR) if mini_fat else _END
    records = b"".join(map(_entry, entries))
    directory = chain(records + _entry(["", 0, _FREE, _FREE, 0, 0]) * (-len(entries) % 4), sectors, fat, _SECTOR)
    count = next(n for n in range(1, 100) if n * 128 >= len(fat) + n)
    start = len(fat)
    table = [*fat, *[_FAT] * count]
    packed = struct.pack(f"<{len(table)}I", *table).ljust(count * _SECTOR, b"\xff")
    mini_sectors = -(-4 * len(mini_fat) // _SECTOR)
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<5H6x", 62, 3, 0xFFFE, 9, 6)
    head += struct.pack("<9I", 0, count, directory, 0, _CUTOFF, mini_start, mini_sectors, _END, 0)
    places = [*range(start, start + count), *[_FREE] * (109 - count)]
    return head + struct.pack("<109I", *places) + bytes(sectors) + packed


def _entry(fields: Sequence[object]) -> bytes:
    name, kind, right, child, start, size = fields
    wide = (f"{name}\0" if name else "").encode("utf-16-le")
    return wide.ljust(64, b"\0") + struct.pack("<HBB3I36xIII", len(wide), kind, 1, _FREE, right, child, start, size, 0)


# --- Outlook messages


def message(texts: Mapping[str, str | bytes], *, numbers: Mapping[int, int] | None = None, inner: bool = False, **storages: Tree) -> Tree:
    """`texts`: property id in hexadecimal → text, or bytes. `numbers`: property id → number. `storages`: attachments."""
    streams: dict[str, bytes | Tree] = {"__properties_version1.0": bytes(24 if inner else 32) + _properties(numbers or {})}
    for key, value in texts.items():
        if isinstance(value, str):
            streams[f"__substg1.0_{key}001F"] = value.encode("utf-16-le")
        else:
            streams[f"__substg1.0_{key}" + ("0102" if len(key) == 4 else "")] = value
    return {**streams, **{f"__attach_version1.0_#{number:08X}": tree for number, tree in enumerate(storages.values())}}


def _properties(numbers: Mapping[int, int]) -> bytes:
    return b"".join(struct.pack("<HHIQ", 3 if value < 2**32 else 0x40, key, 6, value) for key, value in numbers.items())


def attachment(name: str) -> Tree:
    return {"__properties_version1.0": bytes(8), "__substg1.0_3707001F": name.encode("utf-16-le"), "__substg1.0_37010102": b"x"}


# --- Hangul files


def record(tag: int, level: int, data: bytes = b"") -> bytes:
    long = len(data) >= 0xFFF
    return (
        struct.pack("<I", tag | level << 10 | (0xFFF if long else len(data)) << 20) + (struct.pack("<I", len(data)) if long else b"") + data
    )


def hangul_paragraph(text: str, level: int = 0, shape: int = 0, controls: int = 0) -> bytes:
    """A paragraph whose text begins with `controls` anchors of drawings."""
    anchor = struct.pack("<8H", 11, 0, 0, 0, 0, 0, 0, 11) * controls
    body = anchor + text.encode("utf-16-le") + b"\r\0"
    return record(66, level, struct.pack("<IIHB", len(body) // 2, 0, shape, 0) + bytes(11)) + record(67, level + 1, body)


def hangul_cell(row: int, column: int, text: str, level: int, rows: int = 1, columns: int = 1) -> bytes:
    return record(72, level, struct.pack("<IIHHHH", 1, 0, column, row, columns, rows) + bytes(20)) + hangul_paragraph(text, level)


def control(name: bytes, level: int) -> bytes:
    return record(71, level, name[::-1] + bytes(20))


def hangul(body: bytes, *, flags: int = 1, info: bytes = b"") -> bytes:
    """A Hangul file of one section. `info`: the records of DocInfo."""

    def pack(data: bytes) -> bytes:
        squeeze = zlib.compressobj(wbits=-15)
        return squeeze.compress(data) + squeeze.flush() if flags & 1 else data

    head = b"HWP Document File".ljust(32, b"\0") + struct.pack("<II", 0x05000300, flags) + bytes(216)
    return ole({"FileHeader": head, "DocInfo": pack(info), "BodyText": {"Section0": pack(body)}, "\x05HwpSummaryInformation": bytes(48)})


# --- binary Excel files


Number = tuple[float, int]
"""A number and the index of its format."""


def xlsb(
    sheets: Mapping[str, Sequence[Sequence[str | float | bool | Number]]],
    formats: Sequence[str] = (),
    merged: Sequence[Sequence[int]] = (),
    hidden_rows: Sequence[int] = (),
    hidden_columns: Sequence[tuple[int, int]] = (),
    notes: Sequence[tuple[int, int, str, str]] = (),
    fonts: Sequence[tuple[bool, int]] = (),
    runs: Sequence[tuple[int, int]] = (),
) -> bytes:
    """A binary Excel file: sheet → its rows of cells; one whose name starts with a dot is hidden.

    `merged`: first row, last row, first column, last column, in every sheet, as are `hidden_rows` and `hidden_columns`: first, last, and
    `notes`: row, column, author, text. `fonts`: whether it is struck, 1 if it is raised; the format of the same index has it. `runs`: of
    the shared text: start, font."""
    names = list(sheets)
    state = [struct.pack("<II", name.startswith("."), number) for number, name in enumerate(names, 1)]
    listed = b"".join(_bin(156, head + _wide(f"worksheet_{number}") + _wide(names[number - 1])) for number, head in enumerate(state, 1))
    targets = {f"worksheet_{number}": f"worksheets/sheet{number}.bin" for number in range(1, len(names) + 1)}
    codes = b"".join(_bin(44, struct.pack("<H", 164 + number) + _wide(code)) for number, code in enumerate(formats))
    styles = b"".join(_bin(47, struct.pack("<3H", 0, 164 + number, number) + bytes(10)) for number in range(len(formats)))
    faces = b"".join(_bin(43, struct.pack("<4H", 220, 8 * is_struck, 400, position) + bytes(13)) for is_struck, position in fonts)
    looks = struct.pack("<I", len(runs)) + b"".join(struct.pack("<2H", *run) for run in runs) if runs else b""
    files: dict[str, str | bytes] = {
        "xl/workbook.bin": _bin(131) + _bin(153, bytes(12)) + _bin(143) + listed + _bin(144) + _bin(132),
        "xl/_rels/workbook.bin.rels": relations(**targets, sharedStrings="sharedStrings.bin", styles="styles.bin"),
        "xl/sharedStrings.bin": _bin(159, bytes(8)) + _bin(19, bytes([bool(runs)]) + _wide("shared") + looks) + _bin(160),
        "xl/styles.bin": _bin(278)
        + codes
        + faces
        + _bin(626)
        + _bin(47, bytes(16))
        + _bin(627)
        + _bin(617)
        + styles
        + _bin(618)
        + _bin(279),
    }
    columns = b"".join(_bin(60, struct.pack("<4IH", first, last, 2340, 0, 1)) for first, last in hidden_columns)
    areas = b"".join(_bin(176, struct.pack("<4I", *area)) for area in merged)
    for number, rows in enumerate(sheets.values(), 1):
        cells = b"".join(_row(at, row, at in hidden_rows) for at, row in enumerate(rows))
        files[f"xl/worksheets/sheet{number}.bin"] = _bin(129) + columns + _bin(145) + cells + _bin(146) + areas + _bin(130)
        files[f"xl/worksheets/_rels/sheet{number}.bin.rels"] = relations(comments="../comments1.bin")
    authors = b"".join(_bin(632, _wide(author)) for _, _, author, _ in notes)
    texts = b"".join(
        _bin(635, struct.pack("<5I", i, row, row, column, column) + bytes(16)) + _bin(637, b"\0" + _wide(text)) + _bin(636)
        for i, (row, column, _, text) in enumerate(notes)
    )
    files["xl/comments1.bin"] = _bin(628) + _bin(630) + authors + _bin(631) + _bin(633) + texts + _bin(634) + _bin(629)
    return zip_of(files)


def _row(at: int, row: Sequence[str | float | bool | Number], is_hidden: bool) -> bytes:
    found = _bin(0, struct.pack("<I", at) + bytes(7) + bytes([0x10 * is_hidden]) + bytes(5))
    for column, value in enumerate(row):
        start = struct.pack("<II", column, 0)
        if isinstance(value, bool):
            found += _bin(4, start + bytes([value]))
        elif value == "shared":
            found += _bin(7, start + bytes(4))
        elif isinstance(value, str):
            found += _bin(6, start + _wide(value))
        elif isinstance(value, int):  # packed, in hundredths
            found += _bin(2, start + struct.pack("<i", value * 100 << 2 | 3))
        elif isinstance(value, tuple):
            found += _bin(5, struct.pack("<IId", column, value[1], value[0]))
        else:
            found += _bin(5, start + struct.pack("<d", value))
    return found


def _wide(text: str) -> bytes:
    return struct.pack("<I", len(text)) + text.encode("utf-16-le")


def _bin(kind: int, data: bytes = b"") -> bytes:
    """A record of BIFF12: its kind and size in groups of seven bits."""
    head = bytes([kind]) if kind < 128 else bytes([kind & 0x7F | 0x80, kind >> 7])
    size, left = b"", len(data)
    while True:
        size += bytes([left & 0x7F | (0x80 if left > 127 else 0)])
        left >>= 7
        if not left:
            return head + size + data
