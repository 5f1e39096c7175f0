"""Reads a PDF page with pdfium: its lines and the rows of its ruled tables, each with its box."""

from __future__ import annotations

import ctypes
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import pi
from statistics import median
from typing import Any, NamedTuple

from footnote.ingest.parse.decode import clean
from footnote.ingest.parse.pdf.lines import Box, Line, in_place, unweave, with_bullets
from footnote.ingest.parse.pdf.rules import read_drawn
from footnote.ingest.parse.pdf.tables import Grid, Piece, Row, fill, find_grids

_LINE = re.compile(r"[^\n\x02\ufffe]*[\n\x02\ufffe]?")
"""pdfium writes U+0002 or U+FFFE for a hyphen at the end of a line, without a line end after it."""
_HYPHEN_AT_END = re.compile(r"[\x02\ufffe]$")
_NO_LETTER = "\u200b"
"""Placeholder for a glyph without a letter; removed later."""
_FF = re.compile(r"(?<=[a-z])↵(?=[a-z\-.,;:)])")
"""Some fonts have an ff ligature in the place, and with the name, of this character."""
_BOLD_NAMES = (b"bold", b"black", b"heavy", b"-bd", b"semibold")
_BOLD_WEIGHT = 600
_WORD = re.compile(r"\S+")
_GAP = 1.4
"""A gap of this many font heights between two words separates columns and cells."""
_GAP_IN_TABLE = 0.7
_TRACKED = 1.6
"""In letter-spaced text, a gap this many times the usual one separates words."""
_NEXT_LINE = 0.7
"""Minimum distance of a line from the previous one, in font heights."""
_LEADERS = re.compile(r"(?:\s?\.){4,}\s?")


class Word(NamedTuple):
    """A word with its position on the page."""

    text: str
    first: int
    last: int
    """Indices of the first and last character on pdfium's text page."""
    head: Box
    tail: Box
    """The boxes of these two characters."""


@dataclass(frozen=True, slots=True)
class ReadPage:
    """`lines`: on the page as turned for reading. `shown`: maps their boxes to the displayed page."""

    lines: list[Line]
    has_image: bool
    shown: Callable[[Box], Box]


def read_page(page: Any, number: int) -> ReadPage:
    """The page's lines in file order, which is mostly the reading order, but with columns one after the other."""
    text_page = page.get_textpage()
    drawn = read_drawn(page)
    left, bottom, right, top = page.get_bbox()
    width, height = right - left, top - bottom
    text = _legible(text_page)
    turn = _reading_turn(text_page, text)

    def read(box: Box) -> Box:
        return Box(box.x0 - left, top - box.y1, box.x1 - left, top - box.y0).turned(turn, width, height)

    grids = dict(enumerate(find_grids(map(read, drawn.rules)), 1))
    read_width, read_height = (height, width) if turn in (90, 270) else (width, height)
    reader = _Reader(text_page, number, (left, top, width, height), turn)
    rows = with_bullets(list(reader.rows(text, grids)), [read(dot) for dot in drawn.dots])
    lines = in_place(unweave(rows))
    text_page.close()
    back = (page.get_rotation() - turn) % 360
    return ReadPage(lines, drawn.has_image, lambda box: box.turned(back, read_width, read_height))


def _legible(text_page: Any) -> str:
    """The page's text, indexed as in pdfium, with unnamed ligatures repaired."""
    import pypdfium2.raw as pdfium

    text: str = text_page.get_text_range(errors="replace")
    unnamed = []
    before = offset = 0
    for match in re.finditer("\ufffe", text):
        offset += _utf16_length(text[before : match.start()])
        before = match.start()
        index = pdfium.FPDFText_GetCharIndexFromTextIndex(text_page, offset)
        if index >= 0 and pdfium.FPDFText_IsHyphen(text_page, index) == 0:
            unnamed.append(before)
    return with_ligatures(text, unnamed)


def with_ligatures(text: str, unnamed: Sequence[int]) -> str:
    """Repairs ligatures; the length stays the same. `unnamed`: positions of glyphs without a name in the font.

    Between two lower-case letters such a glyph is ffi: fonts name fi and fl, and hardly any word contains ffl."""
    letters = list(text)
    for at in unnamed:
        between_letters = text[at - 1 : at].islower() and text[at + 1 : at + 2].islower()
        letters[at] = "ﬃ" if between_letters else _NO_LETTER
    return _FF.sub("ﬀ", "".join(letters))


def _reading_turn(text_page: Any, text: str) -> int:
    """The clockwise rotation in degrees that makes most of the text upright."""
    import pypdfium2.raw as pdfium

    weights: Counter[int] = Counter()
    offset = 0
    for raw in text.split("\n"):
        start, offset = offset, offset + _utf16_length(raw) + 1
        index = pdfium.FPDFText_GetCharIndexFromTextIndex(text_page, start)
        if index >= 0 and raw.strip():
            weights[-round(pdfium.FPDFText_GetCharAngle(text_page, index) / (pi / 2)) % 4 * 90] += len(raw)
    return weights.most_common(1)[0][0] if weights else 0


class _Reader:
    """Reads positions and fonts of a page's characters from pdfium."""

    def __init__(self, text_page: Any, number: int, area: tuple[float, float, float, float], turn: int) -> None:
        import pypdfium2.raw as pdfium

        self._pdfium = pdfium
        self._text_page = text_page
        self._number = number
        self._left, self._top, self._width, self._height = area
        self._turn = turn
        self._page_width, self._page_height = (self._height, self._width) if turn in (90, 270) else (self._width, self._height)
        self._found = pdfium.FS_RECTF()
        self._name = ctypes.create_string_buffer(128)
        self._flags = ctypes.c_int()

    def rows(self, text: str, grids: Mapping[int, Grid]) -> Iterator[list[Line]]:
        """Rows: the pieces of a line between wide gaps, or one row of a table. `grids`: by their numbers, from 1."""
        torn: set[int] = set()
        found = list(self._words(text))
        pieces: dict[int, list[Piece]] = defaultdict(list)
        for _, all_words in found:
            for words, grid in _by_grid(all_words, grids, torn):
                if grid in grids:
                    pieces[grid] += [_piece(piece) for piece in _cut(words, _GAP_IN_TABLE, grids[grid])]
        filled = {number: rows for number, inside in pieces.items() if number not in torn and (rows := fill(grids[number], inside))}
        tables = {number: grids[number] for number in filled}
        for raw, all_words in found:
            if not all_words:  # a line without a place
                yield [Line(_cleaned(raw), self._number)]
            for words, grid in _by_grid(all_words, tables, set()):
                if grid not in tables:
                    if row := [line for piece in _cut(words, _GAP) if (line := self._line(piece)).text]:
                        yield row
                elif rows := filled[grid]:
                    filled[grid] = []  # all of them stand where the first words of the table do
                    size = median(word.head.y1 - word.head.y0 for word in words)
                    yield from ([self._row(row, grid, size)] for row in rows)

    def _row(self, row: Row, table: int, size: float) -> Line:
        x0, y0, x1, y1 = row.box
        text = " ".join(filter(None, row.cells))
        return Line(text, self._number, x0, x1, y0, y1, size, False, self._page_height, row.cells, table)

    def _words(self, text: str) -> Iterator[tuple[str, list[Word]]]:
        """Each line of the text and its words; no words if it has no place on the page."""
        offset = 0
        for raw in _LINE.findall(text):
            start, offset = offset, offset + _utf16_length(raw)
            if not _cleaned(raw):
                continue
            begin = self._pdfium.FPDFText_GetCharIndexFromTextIndex(self._text_page, start)
            if begin < 0:
                yield raw, []
                continue
            spans = [(match[0], begin + match.start(), begin + match.end() - 1) for match in _WORD.finditer(raw)]
            words = [
                Word(word, first, last, head := self._box(first), head if first == last else self._box(last)) for word, first, last in spans
            ]
            if not (self._is_on_page(words[0].head) and self._is_on_page(words[-1].tail)):
                words = [word for word in words if self._is_on_page(word.head)]
            for line in _by_height(words):
                yield raw, _without_tracking(line)

    def _is_on_page(self, box: Box) -> bool:
        """False for text outside of the page: printer's marks, the other half of a spread."""
        return 0 <= (box.x0 + box.x1) / 2 <= self._page_width and 0 <= (box.y0 + box.y1) / 2 <= self._page_height

    def _box(self, index: int) -> Box:
        """The box of a character, by font height rather than by ink."""
        found = self._found
        self._pdfium.FPDFText_GetLooseCharBox(self._text_page, index, found)
        left, top = self._left, self._top
        box = Box(found.left - left, top - found.top, found.right - left, top - found.bottom)
        return box.turned(self._turn, self._width, self._height) if self._turn else box

    def _line(self, words: Sequence[Word]) -> Line:
        x0, y0, x1, y1 = _around(words[0].head, words[-1].tail)
        size = max(
            word.head.y1 - word.head.y0 for word in words
        )  # of two fonts in a line, as Korean and Latin letters often have, the higher
        bold = self._is_bold(words[0].first) and self._is_bold(words[-1].last)
        content = _cleaned(" ".join(word.text for word in words))
        return Line(content, self._number, x0, x1, y0, y1, size, bold, self._page_height)

    def _is_bold(self, index: int) -> bool:
        if self._pdfium.FPDFText_GetFontWeight(self._text_page, index) >= _BOLD_WEIGHT:
            return True
        self._pdfium.FPDFText_GetFontInfo(self._text_page, index, self._name, 128, self._flags)
        font = self._name.value.lower()
        return any(name in font for name in _BOLD_NAMES)


def _by_height(words: Sequence[Word]) -> Iterator[list[Word]]:
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


def _by_grid(words: list[Word], grids: Mapping[int, Grid], torn: set[int]) -> Iterator[tuple[list[Word], int]]:
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
        if i and grid != before and len(_cut(words[i - 1 : i + 1], _GAP_IN_TABLE)) == 1:
            torn |= {grid, before}
        parts[grid].append(word)
        before = grid
    for grid, found in parts.items():
        yield found, grid


def _cut(words: Sequence[Word], gap: float, grid: Grid | None = None) -> list[list[Word]]:
    pieces = [[words[0]]]
    for before, word in pairwise(words):
        wide = word.head.x0 - before.tail.x1 > gap * (word.head.y1 - word.head.y0)
        if wide or (grid and grid.parts(before.tail, word.head)):
            pieces.append([])
        pieces[-1].append(word)
    return pieces


def _piece(words: Sequence[Word]) -> Piece:
    return Piece(_cleaned(" ".join(word.text for word in words)), _around(words[0].head, words[-1].tail))


def _without_tracking(words: list[Word]) -> list[Word]:
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


def _around(a: Box, b: Box) -> Box:
    return Box(min(a.x0, b.x0), min(a.y0, b.y0), max(a.x1, b.x1), max(a.y1, b.y1))


def _cleaned(text: str) -> str:
    return _LEADERS.sub(" … ", clean(_HYPHEN_AT_END.sub("-", text.strip()))).strip()


def _utf16_length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
