"""Words of a page: where a line of them is divided into pieces, and which of them are in tables. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from footnote.ingest.parse.decode import clean
from footnote.ingest.parse.pdf.lines import Box, is_item
from footnote.ingest.parse.pdf.tables import Grid, Piece

GAP = 1.4
"""A gap of this many font heights between two words separates columns and cells."""
GAP_IN_TABLE = 0.7
_LEAST_GAP = 0.4
"""Font heights between the columns of a table whose rows begin at the same places; spaces are narrower."""
_LEAST_ROWS = 3
_SAME_EDGE = 0.1
_FARTHEST_ROW = 2.5
"""Font heights: between left edges in one column, and between rows."""
_TRACKED = 1.6
"""In letter-spaced text, a gap this many times the usual one separates words."""
_NEXT_LINE = 0.7
"""Minimum distance of a line from the previous one, in font heights."""
_HYPHEN_AT_END = re.compile(r"[\x02\ufffe]$")
_BLANK = "\uf020"
"""The space of a symbol font."""
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


class _Gap(NamedTuple):
    """The widest gap of a line, in font heights, and where it and the line are."""

    left: float
    y: float
    height: float
    width: float
    word: Word
    """The word after it."""


def second_columns(lines: Iterable[Sequence[Word]]) -> set[int]:
    """The first characters of the words that begin the second column of a table without rules: in successive lines that begin at the same
    place, the widest gaps end at the same place, too. A long label leaves hardly more than a space before its value."""
    found: set[int] = set()
    rows: list[_Gap] = []

    def close() -> None:
        if len(rows) >= _LEAST_ROWS and sum(row.width > GAP_IN_TABLE for row in rows) > 1:
            found.update(row.word.first for row in rows)
        rows.clear()

    for words in lines:
        gap = _widest_gap(words) if len(words) > 1 else None
        if rows and (gap is None or not _is_below(rows[-1], gap)):
            close()
        if gap:
            rows.append(gap)
    close()
    return found


def _widest_gap(words: Sequence[Word]) -> _Gap | None:
    gaps = [word.head.x0 - before.tail.x1 for before, word in pairwise(words)]
    widest = max(gaps)
    left, y0, _, y1 = words[0].head
    height = y1 - y0
    at = gaps.index(widest)
    if widest <= _LEAST_GAP * height or words[at + 1].first < 0 or not _is_label([word.text for word in words[: at + 1]]):
        return None
    return _Gap(left, y1, height, widest / height, words[at + 1])


def _is_label(texts: Sequence[str]) -> bool:
    """Whether these words are no mark of a list item, nor the number of a line or section."""
    return any(char.isalpha() for text in texts for char in text) and not (len(texts) == 1 and is_item(f"{texts[0]} A"))


def _is_below(row: _Gap, gap: _Gap) -> bool:
    edge = _SAME_EDGE * row.height
    same = abs(gap.left - row.left) < edge and abs(gap.word.head.x0 - row.word.head.x0) < edge
    return same and 0 < gap.y - row.y < _FARTHEST_ROW * row.height


def cut(words: Sequence[Word], gap: float, grid: Grid | None = None, starts: Collection[int] = ()) -> list[list[Word]]:
    """The words in groups, divided at gaps of more than `gap` font heights, at vertical rules of the grid and at the words that begin a
    column."""
    pieces = [[words[0]]]
    for before, word in pairwise(words):
        wide = word.head.x0 - before.tail.x1 > gap * (word.head.y1 - word.head.y0)
        if wide or word.first in starts or (grid and grid.parts(before.tail, word.head)):
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
    return _LEADERS.sub(" … ", clean(_HYPHEN_AT_END.sub("-", text.strip()).replace(_BLANK, " "))).strip()
