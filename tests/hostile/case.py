"""A hostile file and what must become of it."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import NamedTuple

REFUSED = ""
"""For whichever reason: it depends on what runs out first."""


class Case(NamedTuple):
    name: str
    file_name: str
    make: Callable[[], bytes]
    reason: str | None
    """How the refusal begins; None: it is read."""
    holds: str = ""
    """A text that is in what is read."""


def zeros(size: int) -> bytes:
    """So many zero bytes in a zlib stream, a thousandth as long and made at once; whole MiB."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    mebibyte = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    checksum = (size % 65521) << 16 | 1
    return b"\x78\xda" + mebibyte * (size >> 20) + b"\x03\x00" + checksum.to_bytes(4, "big")
