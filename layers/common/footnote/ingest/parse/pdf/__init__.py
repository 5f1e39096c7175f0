"""Parses PDF with pdfium: `page` reads the lines of each page, `blocks` turns them into blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise, takewhile

from footnote.errors import Scan, UnreadableFile
from footnote.ingest.parse.decode import clean
from footnote.ingest.parse.pdf.blocks import to_blocks
from footnote.ingest.parse.pdf.lines import Box, Line
from footnote.ingest.parse.pdf.page import read_page
from footnote.ingest.parse.title import usable_title
from footnote.types import Block, Parsed, Place, Scans

OCR = "Install Tesseract with the language of the text where the server runs, or run OCR on it, then add it again."


def parse(data: bytes) -> Parsed:
    """Parses a PDF. UnreadableFile if it is damaged, needs a password or only contains images."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as exc:
        if "password" in str(exc).lower():
            raise UnreadableFile("This PDF needs a password.", "Save a copy without the password and add it again.") from exc
        raise damaged_pdf() from exc
    pages = len(document)
    lines: list[Line] = []
    shown: dict[int, Callable[[Box], Box]] = {}
    damaged, images = 0, []
    for number in range(1, pages + 1):
        try:
            page = document[number - 1]
            read = read_page(page, number)
            page.close()
        except pypdfium2.PdfiumError:  # a damaged page does not affect the others
            damaged += 1
            continue
        lines.extend(read.lines)
        shown[number] = read.shown
        if read.has_image and not read.lines:
            images.append(number)
    if damaged == pages:
        raise damaged_pdf()
    if not lines:
        raise Scan("The pages of this PDF contain only images, no text.", OCR, pages, tuple(images))
    blocks = [_as_shown(block, shown) for block in to_blocks(lines, pages)]
    title = usable_title(clean(document.get_metadata_value("Title"))) or _title_on_page(blocks)
    if not images:
        return Parsed(tuple(blocks), title, pages)
    reason = f"{len(images)} of {pages} pages ({ranges(images)}) {'contain' if len(images) > 1 else 'contains'} only images."
    return Parsed(tuple(blocks), title, pages, reason=reason, remedy=OCR, scans=Scans(tuple(images), reason))


def _as_shown(block: Block, shown: dict[int, Callable[[Box], Box]]) -> Block:
    places = (Place(p.offset, p.page, *shown[p.page](Box(p.x0, p.y0, p.x1, p.y1))) for p in block.places)
    return replace(block, places=tuple(places))


def ranges(numbers: Sequence[int]) -> str:
    """2, 5, 6, 7 → `2, 5–7`."""
    starts = [numbers[0], *(b for a, b in pairwise(numbers) if b != a + 1)]
    ends = [*(a for a, b in pairwise(numbers) if b != a + 1), numbers[-1]]
    return ", ".join(str(a) if a == b else f"{a}–{b}" for a, b in zip(starts, ends, strict=True))


def _title_on_page(blocks: Sequence[Block]) -> str:
    """The text in the largest font near the start of the first page, unless it is a numbered section."""
    start = blocks[:4] if blocks[-1].page != 1 else list(takewhile(_is_heading, blocks))  # a single page may be an excerpt
    return next((b.text for b in start if _is_heading(b) and b.level == 1 and b.page == 1 and not b.text[0].isdigit()), "")


def _is_heading(block: Block) -> bool:
    return block.kind == "heading"


def damaged_pdf() -> UnreadableFile:
    """What is said of a PDF that pdfium cannot read."""
    return UnreadableFile("This PDF is damaged.", "Open it in a PDF reader, save it again and add the new file.")
