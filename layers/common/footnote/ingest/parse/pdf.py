"""PDF → lines with their places on the page, by pdfium; `pdf_layout` makes blocks of them."""

from __future__ import annotations

import ctypes
import re
from itertools import pairwise
from typing import Any

from footnote.errors import UnreadableFile
from footnote.ingest.parse.decode import clean
from footnote.ingest.parse.pdf_layout import Line, to_blocks, unweave
from footnote.ingest.parse.title import usable_title
from footnote.types import Block, Parsed

_LINE = re.compile(r"[^\n\x02\ufffe]*[\n\x02\ufffe]?")
"""pdfium writes U+0002 or U+FFFE for a hyphen at a line's end, and no line end after it."""
_BOLD_NAMES = ("bold", "black", "heavy", "-bd", "semibold")
_BOLD_WEIGHT = 600


_WORD = re.compile(r"\S+")
_GAP = 1.4
"""A gap of this many font heights between two words parts columns and cells."""
_LEADERS = re.compile(r"(?:\s?\.){4,}\s?")


def parse(data: bytes) -> Parsed:
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as exc:
        if "password" in str(exc).lower():
            raise UnreadableFile("This PDF needs a password.", "Save a copy without the password and add it again.") from exc
        raise _damaged() from exc
    pages = len(document)
    if not pages:
        raise _damaged()
    lines: list[Line] = []
    unreadable = 0
    for number in range(1, pages + 1):
        try:
            page = document[number - 1]
            lines.extend(_read_lines(page, number))
            page.close()
        except pypdfium2.PdfiumError:  # one page that is damaged does not take the others with it
            unreadable += 1
    if unreadable == pages:
        raise _damaged()
    if not lines:
        raise UnreadableFile("The pages of this PDF hold images only, no text.", "Run OCR on it, then add it again.")
    blocks = to_blocks(lines, pages)
    return Parsed(tuple(blocks), usable_title(clean(document.get_metadata_value("Title"))) or _title_on_page(blocks), pages)


def _title_on_page(blocks: list[Block]) -> str:
    """What the first page shows in the largest letters, near its beginning, unless it is a numbered section."""
    start = blocks[:4] if blocks[-1].page != 1 else blocks[:1]  # a single page may be a piece of something
    return next((b.text for b in start if b.kind == "heading" and b.level == 1 and b.page == 1 and not b.text[0].isdigit()), "")


def _damaged() -> UnreadableFile:
    return UnreadableFile("This PDF is damaged.", "Open it in a PDF reader, save it again and add the new file.")


def _read_lines(page: Any, number: int) -> list[Line]:
    """The page's lines in the file's own order, which is the reading order of most. Coordinates are
    points as the page is shown: x from the left, y downwards from the top."""
    import pypdfium2.raw as pdfium

    left, bottom, right, top = page.get_cropbox()
    turn = page.get_rotation()
    text_page = page.get_textpage()
    text = text_page.get_text_range(errors="replace")
    box = pdfium.FS_RECTF()
    name = ctypes.create_string_buffer(128)
    flags = ctypes.c_int()

    def place(index: int) -> tuple[float, float, float, float]:
        """x0, y0 (upper), x1, y1 (lower) of a character, by its font's height rather than its ink."""
        pdfium.FPDFText_GetLooseCharBox(text_page, index, box)
        if turn == 90:
            return box.bottom - bottom, box.left - left, box.top - bottom, box.right - left
        if turn == 180:
            return right - box.right, box.bottom - bottom, right - box.left, box.top - bottom
        if turn == 270:
            return top - box.top, right - box.right, top - box.bottom, right - box.left
        return box.left - left, top - box.top, box.right - left, top - box.bottom

    def is_bold(index: int) -> bool:
        if pdfium.FPDFText_GetFontWeight(text_page, index) >= _BOLD_WEIGHT:
            return True
        pdfium.FPDFText_GetFontInfo(text_page, index, name, 128, flags)
        font = name.value.lower()
        return any(word.encode() in font for word in _BOLD_NAMES)

    def line(content: str, first: int, last: int) -> Line:
        x0, y0, _, y1 = place(first)
        _, last_y0, x1, last_y1 = place(last)
        middle_y0, middle_y1 = place((first + last) // 2)[1::2]
        size = middle_y1 - middle_y0 if middle_y1 > middle_y0 else max(y1 - y0, last_y1 - last_y0)
        bold = is_bold(first) and is_bold(last)
        return Line(_cleaned(content), number, x0, max(x1, x0), min(y0, last_y0), max(y1, last_y1), size, bold, height)

    height = (top - bottom) if turn in (0, 180) else (right - left)
    rows: list[list[Line]] = []
    offset = 0
    for raw in _LINE.findall(text):
        start, offset = offset, offset + _utf16_length(raw)
        if not _cleaned(raw):
            continue
        begin = pdfium.FPDFText_GetCharIndexFromTextIndex(text_page, start)
        if begin < 0:  # a line that stands nowhere
            rows.append([Line(_cleaned(raw), number)])
            continue
        words = [(word[0], begin + word.start(), begin + word.end() - 1) for word in _WORD.finditer(raw)]
        pieces = [[words[0]]]
        for before, word in pairwise(words):
            x1, (x0, y0, _, y1) = place(before[2])[2], place(word[1])
            if x0 - x1 > _GAP * (y1 - y0):
                pieces.append([])
            pieces[-1].append(word)
        rows.append([line(" ".join(word[0] for word in piece), piece[0][1], piece[-1][2]) for piece in pieces])
    text_page.close()
    return unweave(rows)


def _cleaned(text: str) -> str:
    return _LEADERS.sub(" … ", clean(re.sub("[\x02\ufffe]$", "-", text.strip()))).strip()


def _utf16_length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
