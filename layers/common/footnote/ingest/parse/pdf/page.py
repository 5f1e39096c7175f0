"""Reads a PDF page with pdfium: its lines and the rows of its ruled tables, each with its box."""

from __future__ import annotations

import ctypes
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import pi
from statistics import median
from typing import Any

from footnote.ingest.parse.pdf.annotations import Entry, Note, read_annotations
from footnote.ingest.parse.pdf.figures import Figure, read_figures
from footnote.ingest.parse.pdf.filled import in_table, with_entries
from footnote.ingest.parse.pdf.items import with_items
from footnote.ingest.parse.pdf.legible import ODD, is_nonsense, is_shifted, is_word
from footnote.ingest.parse.pdf.lines import Box, Line, in_place, unweave, with_bullets
from footnote.ingest.parse.pdf.rules import read_drawn
from footnote.ingest.parse.pdf.scripts import (
    DIGIT,
    DIGIT_WITHIN,
    RAISED_FIRST,
    RISE_OF_LARGE,
    SCRIPT_STARTS,
    SMALL,
    Char,
    is_raised,
    scripted,
    touches,
)
from footnote.ingest.parse.pdf.struck import without_struck
from footnote.ingest.parse.pdf.tables import Grid, Piece, Row, fill, find_grids
from footnote.ingest.parse.pdf.words import (
    GAP,
    GAP_IN_TABLE,
    Word,
    around,
    by_grid,
    by_height,
    cleaned,
    cut,
    piece,
    second_columns,
    without_tracking,
)
from footnote.ingest.parse.superscript import superscript
from footnote.ingest.parse.symbol_font import CODES, symbol, symbol_font, with_symbols

_LINE = re.compile(r"[^\n\x02\ufffe]*[\n\x02\ufffe]?")
"""pdfium writes U+0002 or U+FFFE for a hyphen at the end of a line, without a line end after it."""
_NO_LETTER = "\u200b"
"""Placeholder for a glyph without a letter; removed later."""
_FF = re.compile(r"(?<=[a-z])↵(?=[a-z\-.,;:)])")
"""Some fonts have an ff ligature in the place, and with the name, of this character."""
_BOLD_NAMES = ("bold", "black", "heavy", "-bd", "semibold")
_BOLD_WEIGHT = 600
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class ReadPage:
    """`lines`, `notes`, `figures`: on the page as turned for reading. `shown`: maps their boxes to the displayed page."""

    lines: list[Line]
    notes: list[Note]
    figures: list[Figure]
    has_image: bool
    has_nonsense: bool
    """Whether text was left out whose font does not say which letters it shows."""
    struck: int
    """Characters that were left out because they are struck."""
    shown: Callable[[Box], Box]
    files: list[tuple[str, bytes]]
    """(name, content) of the files that are attached to the page."""


def read_page(page: Any, number: int, form: Any = None) -> ReadPage:
    """The page's lines in file order, which is mostly the reading order, but with columns one after the other. `form`: see
    `annotations.opened_form`."""
    text_page = page.get_textpage()
    drawn = read_drawn(page)
    left, bottom, right, top = page.get_bbox()
    width, height = right - left, top - bottom
    text = _legible(text_page)
    turn = _reading_turn(text_page, text)

    def read(box: Box) -> Box:
        return Box(box.x0 - left, top - box.y1, box.x1 - left, top - box.y0).turned(turn, width, height)

    rules = list(map(read, drawn.rules))
    grids = dict(enumerate(find_grids(rules), 1))
    read_width, read_height = (height, width) if turn in (90, 270) else (width, height)
    reader = _Reader(text_page, number, (left, top, width, height), turn)
    found = read_annotations(page, form)
    entries = [entry._replace(box=read(entry.box)) for entry in found.entries]
    reader.strike(map(read, found.struck), rules)
    rows = with_bullets(list(reader.rows(text, grids, entries)), [read(dot) for dot in drawn.dots])
    lines = in_place(unweave(with_items(rows, len(grids) + 1)))
    text_page.close()
    back = (page.get_rotation() - turn) % 360
    notes = [note._replace(box=read(note.box)) for note in found.notes]
    figures = [figure._replace(box=read(figure.box) if figure.box else None) for figure in (read_figures(page) if drawn.has_image else ())]

    def shown(box: Box) -> Box:
        return box.turned(back, read_width, read_height)

    return ReadPage(lines, notes, figures, drawn.has_image, reader.has_nonsense, reader.struck, shown, found.files)


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
        self._text_page = text_page.raw  # a wrapper would be unwrapped at each call
        self._number = number
        self._left, self._top, self._width, self._height = area
        self._turn = turn
        self._page_width, self._page_height = (self._height, self._width) if turn in (90, 270) else (self._width, self._height)
        self._found = pdfium.FS_RECTF()
        self._found_ref = ctypes.byref(self._found)
        self._find_box = pdfium.FPDFText_GetLooseCharBox
        self._name = ctypes.create_string_buffer(128)
        self._flags = ctypes.c_int()
        self._unmapped: dict[int, list[Word]] = defaultdict(list)
        self._strikes: tuple[Sequence[Box], Sequence[Box]] = ((), ())
        self.has_nonsense = False
        self.struck = 0

    def strike(self, marked: Iterable[Box], rules: Sequence[Box]) -> None:
        """What may strike text: annotations and drawn lines."""
        self._strikes = (list(marked), rules)

    def rows(self, text: str, grids: Mapping[int, Grid], entries: Sequence[Entry]) -> Iterator[list[Line]]:
        """Rows: the pieces of a line between wide gaps, or one row of a table. `grids`: by their numbers, from 1."""
        torn: set[int] = set()
        legible = self._without_nonsense(text, list(self._words(text)))
        found, self.struck = without_struck(legible, *self._strikes, lambda index: self._char(index).base)
        pieces: dict[int, list[Piece]] = defaultdict(list)
        for _, all_words in found:
            for words, grid in by_grid(all_words, grids, torn):
                if grid in grids:
                    pieces[grid] += [piece(part) for part in cut(words, GAP_IN_TABLE, grids[grid])]
        inside = _by_grid(entries, {number: grids[number] for number in pieces if number not in torn})
        for number, of_grid in inside.items():
            pieces[number] += map(in_table, of_grid)
        filled = {number: rows for number, within in pieces.items() if number not in torn and (rows := fill(grids[number], within))}
        tables = {number: grids[number] for number in filled}
        if entries:
            placed = {entry for number in filled for entry in inside[number]}
            found = with_entries(found, [entry for entry in entries if entry not in placed], self._page_width)
        starts = second_columns(words for _, words in found)
        for raw, all_words in found:
            if not all_words:  # a line without a place
                yield [Line(cleaned(raw), self._number)]
            for words, grid in by_grid(all_words, tables, set()):
                if grid not in tables:
                    if row := [line for part in cut(words, GAP, starts=starts) if (line := self._line(part)).text]:
                        yield row
                elif rows := filled[grid]:
                    filled[grid] = []  # all of them stand where the first words of the table do
                    size = median(word.head.y1 - word.head.y0 for word in words)
                    yield from ([self._row(row, grid, size)] for row in rows)

    def _without_nonsense(self, text: str, found: list[tuple[str, list[Word]]]) -> list[tuple[str, list[Word]]]:
        """Leaves out the words of fonts that do not say which letters they show, or say it wrong, where they are certainly no text."""
        left_out = {
            word.first
            for words in self._unmapped.values()
            if is_nonsense([word.text for word in words])
            for word in words
            if not is_word(word.text)
        }
        if is_shifted(text):
            by_font: dict[int, list[Word]] = defaultdict(list)
            for word in (word for _, words in found for word in words):
                by_font[self._font(word.first)].append(word)
            shifted = (words for words in by_font.values() if is_shifted("".join(word.text for word in words)))
            left_out |= {word.first for words in shifted for word in words}
        if not left_out:
            return found
        self.has_nonsense = True
        return [(raw, kept) for raw, words in found if (kept := [word for word in words if word.first not in left_out]) or not words]

    def _font(self, index: int) -> int:
        """The address of the font of a character."""
        shown = self._pdfium.FPDFText_GetTextObject(self._text_page, index)
        return ctypes.cast(self._pdfium.FPDFTextObj_GetFont(shown), ctypes.c_void_p).value or 0 if shown else 0

    def _row(self, row: Row, table: int, size: float) -> Line:
        x0, y0, x1, y1 = row.box
        text = " ".join(filter(None, row.cells))
        return Line(text, self._number, x0, x1, y0, y1, size, False, self._page_height, row.cells, table)

    def _words(self, text: str) -> Iterator[tuple[str, list[Word]]]:
        """Each line of the text and its words; no words if it has no place on the page."""
        offset = 0
        has_error, page = self._pdfium.FPDFText_HasUnicodeMapError, self._text_page
        above: list[Word] = []
        for raw in _LINE.findall(text):
            start, offset = offset, offset + _utf16_length(raw)
            if not cleaned(raw):
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
            if DIGIT.search(raw):
                words = self._with_scripts(words, above)
            if any(word.text[0] in CODES for word in words):
                words = [self._with_code(word) for word in words]
            is_odd = ODD.search(raw) is not None
            if is_odd:
                words = self._with_symbols(words)
            for word in words:
                if not is_odd and word.text.isascii() and word.text.islower():
                    continue  # such a word stays in any case, see `is_word`
                if has_error(page, word.first) == 1 or (is_odd and ODD.search(word.text)):
                    self._unmapped[self._font(word.first)].append(word)
            for line in by_height(words):
                above = without_tracking(line)
                yield raw, above

    def _with_code(self, word: Word) -> Word:
        """The word, the first sign of which may be a code of Wingdings that the file gives as a letter."""
        if not _may_be_code(word.text) or symbol_font(self._font_name(word.first)) != "wingdings":
            return word
        return word._replace(text=(symbol("wingdings", ord(word.text[0])) or word.text[0]) + word.text[1:])

    def _with_symbols(self, words: Sequence[Word]) -> list[Word]:
        """The words of a line, in which characters of private use are read as those of symbol fonts: in these, in OpenSymbol, which
        programs take instead, and in a font of the line's text, which has no signs of its own at these places as fonts of icons do."""
        texts = {self._font(word.first) for word in words if not ODD.search(word.text)}
        return [self._with_symbol(word, odd.start(), texts) if (odd := ODD.search(word.text)) else word for word in words]

    def _with_symbol(self, word: Word, at: int, texts: Collection[int]) -> Word:
        index = min(word.first + at, word.last)
        name = self._font_name(index)
        if font := symbol_font(name):
            return word._replace(text="".join((symbol(font, ord(char)) or char) if ODD.match(char) else char for char in word.text))
        known = name.endswith("OpenSymbol") or self._font(index) in texts
        return word._replace(text=with_symbols(word.text)) if known else word

    def _with_scripts(self, words: list[Word], above: list[Word]) -> list[Word]:
        """The words of a line, with its raised digits as powers or, those of notes, left out. `above`: the line before, whose end may be
        raised and therefore looks like a line of its own to pdfium."""
        written: list[Word] = []
        for i, word in enumerate(words):
            if word.text.isalpha():
                written.append(word)
                continue
            ahead = written or above
            if ahead and word.text[0] in SCRIPT_STARTS and (first := RAISED_FIRST.fullmatch(word.text)):
                last = ahead[-1]
                if self._is_raised(word.first, last.last, word.head, last.tail):
                    following = words[i + 1].text if i + 1 < len(words) else ""
                    script = superscript(first[1], _text(ahead), f"{first[2]} {following}") + first[2]
                    ahead[-1] = last._replace(text=last.text + script, last=word.last, tail=last.tail._replace(x1=word.tail.x1))
                    continue
            if self._may_have_scripts(word):
                chars = [self._char(index) for index in range(word.first, word.last + 1)]
                word = word._replace(text=scripted(word.text, chars, f"{_text(written)} " if written else ""))
            written.append(word)
        return written

    def _may_have_scripts(self, word: Word) -> bool:
        head, tail = word.head.y1 - word.head.y0, word.tail.y1 - word.tail.y0
        if min(head, tail) < SMALL * max(head, tail) or word.head.y1 - word.tail.y1 > RISE_OF_LARGE * head:
            return len(word.text) == word.last - word.first + 1
        digit = DIGIT_WITHIN.search(word.text)
        return digit is not None and (box := self._box(word.first + digit.start(1))).y1 - box.y0 < SMALL * head

    def _is_raised(self, index: int, other: int, box: Box, line: Box) -> bool:
        """Whether a character is raised directly after another one. The boxes are known, the baselines are asked for if need be."""
        small = box.y1 - box.y0 < SMALL * (line.y1 - line.y0)
        return small and touches(line, box) and is_raised(self._char(index), self._char(other))

    def _char(self, index: int) -> Char:
        x, y = ctypes.c_double(), ctypes.c_double()
        self._pdfium.FPDFText_GetCharOrigin(self._text_page, index, x, y)
        x0, y0 = x.value - self._left, self._top - y.value
        return Char(self._box(index), Box(x0, y0, x0, y0).turned(self._turn, self._width, self._height).y1)

    def _is_on_page(self, box: Box) -> bool:
        """False for text outside of the page: printer's marks, the other half of a spread."""
        return 0 <= (box.x0 + box.x1) / 2 <= self._page_width and 0 <= (box.y0 + box.y1) / 2 <= self._page_height

    def _box(self, index: int) -> Box:
        """The box of a character, by font height rather than by ink."""
        found = self._found
        self._find_box(self._text_page, index, self._found_ref)
        left, top = self._left, self._top
        box = Box(found.left - left, top - found.top, found.right - left, top - found.bottom)
        return box.turned(self._turn, self._width, self._height) if self._turn else box

    def _line(self, words: Sequence[Word]) -> Line:
        x0, y0, x1, y1 = around(words[0].head, words[-1].tail)
        size = max(
            word.head.y1 - word.head.y0 for word in words
        )  # of two fonts in a line, as Korean and Latin letters often have, the higher
        in_file = [word for word in words if word.first >= 0]
        bold = bool(in_file) and self._is_bold(in_file[0].first) and self._is_bold(in_file[-1].last)
        content = cleaned(" ".join(word.text for word in words))
        return Line(content, self._number, x0, x1, y0, y1, size, bold, self._page_height, filled=len(in_file) < len(words))

    def _is_bold(self, index: int) -> bool:
        if self._pdfium.FPDFText_GetFontWeight(self._text_page, index) >= _BOLD_WEIGHT:
            return True
        font = self._font_name(index).lower()
        return any(name in font for name in _BOLD_NAMES)

    def _font_name(self, index: int) -> str:
        self._pdfium.FPDFText_GetFontInfo(self._text_page, index, self._name, 128, self._flags)
        return self._name.value.decode("latin-1")


def _may_be_code(text: str) -> bool:
    """Whether the word may begin with a code of Wingdings: a sign alone, or one that hardly any word begins with."""
    return text[0] in CODES and (len(text) == 1 or not text[0].isascii())


def _text(words: Sequence[Word]) -> str:
    return " ".join(word.text for word in words)


def _by_grid(entries: Sequence[Entry], grids: Mapping[int, Grid]) -> dict[int, list[Entry]]:
    found: dict[int, list[Entry]] = defaultdict(list)
    for entry in entries:
        x, y = (entry.box.x0 + entry.box.x1) / 2, (entry.box.y0 + entry.box.y1) / 2
        if number := next((number for number, grid in grids.items() if grid.holds(x, y)), 0):
            found[number].append(entry)
    return found


def _utf16_length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
