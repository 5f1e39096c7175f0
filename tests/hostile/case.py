"""A hostile file and its expected result."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import NamedTuple

REFUSED = ""
"""Refused for any reason, because it depends on which limit is reached first."""


class Case(NamedTuple):
    name: str
    file_name: str
    make: Callable[[], bytes]
    reason: str | None
    """Start of the refusal; None: the file is read."""
    holds: str = ""
    """A text that the result contains."""


def zeros(size: int) -> bytes:
    """A zlib stream of `size` zero bytes (whole MiB); it is a thousandth as long, and only one MiB is actually compressed."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    mebibyte = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    checksum = (size % 65521) << 16 | 1
    return b"\x78\xda" + mebibyte * (size >> 20) + b"\x03\x00" + checksum.to_bytes(4, "big")
