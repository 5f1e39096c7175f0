"""The animated PNG of the README is one that decoders accept."""

from __future__ import annotations

import struct
import zlib

from bench.page_pictures import Change, assemble, chunk, chunks


def picture(width: int, height: int, grey: int) -> bytes:
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    pixels = zlib.compress((b"\0" + bytes([grey]) * width) * height)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def test_an_animation_has_the_first_picture_and_numbered_changes() -> None:
    made = assemble([Change(0, 0, picture(4, 3, 255), 900), Change(1, 2, picture(2, 1, 0), 70), Change(3, 0, picture(1, 1, 9), 80)])
    assert made.startswith(b"\x89PNG\r\n\x1a\n")
    found = list(chunks(made))
    assert [kind for kind, _ in found] == [b"IHDR", b"acTL", b"fcTL", b"IDAT", b"fcTL", b"fdAT", b"fcTL", b"fdAT", b"IEND"]
    assert struct.unpack(">II", found[0][1][:8]) == (4, 3)
    assert struct.unpack(">II", found[1][1]) == (3, 0)
    numbered = [struct.unpack(">I", content[:4])[0] for kind, content in found if kind in (b"fcTL", b"fdAT")]
    assert numbered == [0, 1, 2, 3, 4]
    assert [struct.unpack(">IIIIIHH", found[at][1][:24]) for at in (2, 4, 6)] == [
        (0, 4, 3, 0, 0, 900, 1000),
        (1, 2, 1, 1, 2, 70, 1000),
        (3, 1, 1, 3, 0, 80, 1000),
    ]
    assert zlib.decompress(found[5][1][4:]) == b"\0\0\0"


def test_every_chunk_carries_its_own_checksum() -> None:
    made, at = assemble([Change(0, 0, picture(2, 2, 7), 100)]), 8
    while at < len(made):
        (length,) = struct.unpack_from(">I", made, at)
        assert struct.unpack_from(">I", made, at + 8 + length)[0] == zlib.crc32(made[at + 4 : at + 8 + length])
        at += length + 12
