"""Words of a page: where a line of them is divided into pieces, and which of them are in tables. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from footnote.ingest.parse.decode import clean
from footnote.ingest.parse.pdf.lines import Box
from footnote.ingest.parse.pdf.tables import Grid, Piece

GAP = 1.4
"""A gap of this many font heights between two words separates columns and cells."""
GAP_IN_TABLE = 0.7
_TRACKED = 1.6
"""In letter-spaced text, a gap this many times the usual one separates words."""
_NEXT_LINE = 0.7
"""Minimum distance of a line from the previous one, in font heights."""
_HYPHEN_AT_END = re.compile(r"[\x02\ufffe]$")
_LEADERS = re.compile(r"(?:\s?\.){4,}\s?")


class Word(NamedTuple):
    """A word with its position on the page."""

    text: str
    first: int
    last: int
    """Indices of the first and last character on pdfium's text page; -1: it was filled in."""
    head: Box
    tail: Box
    """The boxes of these two characters."""


def by_height(words: Sequence[Word]) -> Iterator[list[Word]]:
    """Splits a line of text where pdfium has missed that a new line starts."""
    start = 0
    for i in range(1, len(words)):
        before, head = words[i - 1], words[i].head
        level = abs(before.tail.y0 - before.head.y0) < 1  # else the text is vertical
        if level and head.x0 < before.tail.x1 and head.y0 - before.tail.y0 > _NEXT_LINE * (head.y1 - head.y0):
            yield list(words[start:i])
            start = i
    if words:
        yield list(words[start:])


def by_grid(words: list[Word], grids: Mapping[int, Grid], torn: set[int]) -> Iterator[tuple[list[Word], int]]:
    """The words outside of all grids (0), and those in each grid.

    A grid whose edge cuts through running text is not a table; it is added to `torn`."""
    near = [(number, grid) for number, grid in grids.items() if words and grid.reaches(words[0].head)]
    if not near:
        if words:
            yield words, 0
        return
    parts: dict[int, list[Word]] = defaultdict(list)
    before = 0
    for i, word in enumerate(words):
        x, y = (word.head.x0 + word.tail.x1) / 2, (word.head.y0 + word.head.y1) / 2
        grid = next((number for number, grid in near if grid.holds(x, y)), 0)
        if i and grid != before and len(cut(words[i - 1 : i + 1], GAP_IN_TABLE)) == 1:
            torn |= {grid, before}
        parts[grid].append(word)
        before = grid
    for grid, found in parts.items():
        yield found, grid


def cut(words: Sequence[Word], gap: float, grid: Grid | None = None) -> list[list[Word]]:
    """The words in groups, divided at gaps of more than `gap` font heights and at vertical rules of the grid."""
    pieces = [[words[0]]]
    for before, word in pairwise(words):
        wide = word.head.x0 - before.tail.x1 > gap * (word.head.y1 - word.head.y0)
        if wide or (grid and grid.parts(before.tail, word.head)):
            pieces.append([])
        pieces[-1].append(word)
    return pieces


def piece(words: Sequence[Word]) -> Piece:
    """Adjacent words as one piece of a table."""
    return Piece(cleaned(" ".join(word.text for word in words)), around(words[0].head, words[-1].tail))


def without_tracking(words: list[Word]) -> list[Word]:
    """`H e a d i n g` → `Heading`, if nearly all "words" are single letters with equal gaps."""
    if len(words) < 4 or sum(len(word.text) == 1 and word.text.isalpha() for word in words) < 0.8 * len(words):
        return words
    gaps = [word.head.x0 - before.tail.x1 for before, word in pairwise(words)]
    widest = _TRACKED * median(gaps)
    joined = [words[0]]
    for gap, word in zip(gaps, words[1:], strict=True):
        before = joined[-1]
        if gap > widest or not before.text.isalpha():
            joined.append(word)
        else:
            joined[-1] = Word(before.text + word.text, before.first, word.last, before.head, word.tail)
    return joined


def around(a: Box, b: Box) -> Box:
    """The box around two others."""
    return Box(min(a.x0, b.x0), min(a.y0, b.y0), max(a.x1, b.x1), max(a.y1, b.y1))


def cleaned(text: str) -> str:
    """Clean text of a line; dots that lead to a page number become one sign."""
    return _LEADERS.sub(" … ", clean(_HYPHEN_AT_END.sub("-", text.strip()))).strip()
