"""Fills a megabyte."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import NamedTuple

MEGABYTE = 1_000_000
Shapes = dict[str, Callable[[], bytes]]
"""What a file is full of → makes it."""


class Shape(NamedTuple):
    """`make` returns about one megabyte."""

    name: str
    file_name: str
    make: Callable[[], bytes]


def fill(unit: str, begin: str = "", end: str = "", size: int = MEGABYTE) -> bytes:
    """The unit as often as it fits."""
    return f"{begin}{unit * (size // len(unit.encode()))}{end}".encode()


def series(write: Callable[[int], str], begin: str = "", end: str = "", size: int = MEGABYTE) -> bytes:
    """What `write` makes of 0, 1, 2, … as often as it fits."""
    made: list[str] = []
    length = 0
    for number in count():
        made.append(write(number))
        length += len(made[-1].encode())
        if length >= size:
            return f"{begin}{''.join(made)}{end}".encode()
    raise AssertionError


def halves(opening: str, closing: str, core: str = "Deep.", begin: str = "", end: str = "") -> bytes:
    """Balanced nesting, as deep as it fits."""
    depth = MEGABYTE // (len(opening) + len(closing))
    return f"{begin}{opening * depth}{core}{closing * depth}{end}".encode()
