"""Parses PDF with pdfium: `page` reads the lines of each page, `blocks` turns them into blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, takewhile
from typing import Any

from footnote.errors import Scan, UnreadableFile
from footnote.ingest.parse.decode import clean
from footnote.ingest.parse.notes import comment
from footnote.ingest.parse.pdf.annotations import attachment, is_dynamic, opened_form
from footnote.ingest.parse.pdf.blocks import to_blocks
from footnote.ingest.parse.pdf.insert import at, inserted
from footnote.ingest.parse.pdf.lines import Box, Line
from footnote.ingest.parse.pdf.page import read_page
from footnote.ingest.parse.struck import reported
from footnote.ingest.parse.title import usable_title
from footnote.types import Block, FileWithin, Parsed, Place, Scans

OCR = "Install Tesseract with the language of the text where the server runs, or run OCR on it, then add it again."


@dataclass(slots=True)
class Read:
    """What the pages of a document say, on pages as turned for reading. `shown`: page → maps boxes to the displayed page."""

    pages: int
    lines: list[Line] = field(default_factory=list)
    added: list[Block] = field(default_factory=list)
    """Blocks that are no lines of the text, such as comments."""
    shown: dict[int, Callable[[Box], Box]] = field(default_factory=dict)
    damaged: list[int] = field(default_factory=list)
    images: list[int] = field(default_factory=list)
    """Pages that contain only images."""
    nonsense: list[int] = field(default_factory=list)
    """Pages with text in a font that does not say which letters it shows; it is not among the lines."""
    struck: int = 0
    """Characters that are struck; they are not among the lines."""
    files: list[FileWithin] = field(default_factory=list)
    """What is attached to the document or to its pages."""

    @property
    def unreadable(self) -> list[int]:
        """The pages of which OCR can read more."""
        return sorted({*self.images, *self.nonsense})


def parse(data: bytes) -> Parsed:
    """Parses a PDF. UnreadableFile if it is damaged, needs a password or only contains images."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as exc:
        if "password" in str(exc).lower():
            raise UnreadableFile("This PDF needs a password.", "Save a copy without the password and add it again.") from exc
        raise damaged_pdf() from exc
    read = read_pages(document)
    if len(read.damaged) == read.pages:
        raise damaged_pdf()
    scanned = list(_without_letters(read))
    problems = [*_problems(document), *scanned]
    if not read.lines and not read.added and not read.files and not (read.struck and not scanned):
        raise UnreadableFile(*problems[0]) if is_dynamic(document) else _without_text(read)
    blocks = [_as_shown(block, read.shown) for block in inserted(to_blocks(read.lines, read.pages), read.added)]
    title = usable_title(clean(document.get_metadata_value("Title"))) or _title_on_page(blocks)
    reasons, remedies = ([*dict.fromkeys(each)] for each in zip(*problems, strict=True)) if problems else ([], [])
    scans = Scans(tuple(read.unreadable), " ".join(reason for reason, _ in scanned)) if scanned else None
    said = " ".join(reasons) or None, " ".join(remedies) or None
    parsed = Parsed(tuple(blocks), title, read.pages, reason=said[0], remedy=said[1], scans=scans, files=tuple(read.files))
    return reported(parsed, read.struck)


def read_pages(document: Any) -> Read:
    """Reads all pages of a document that pdfium has opened; a damaged page does not affect the others."""
    import pypdfium2
    import pypdfium2.raw as pdfium

    read = Read(len(document))
    for index in range(document.count_attachments()):
        if file := pdfium.FPDFDoc_GetAttachment(document, index):
            read.files.append(FileWithin(*attachment(file)))
    described: set[str] = set()  # a logo is on many pages
    with opened_form(document) as form:
        for number in range(1, read.pages + 1):
            try:
                page = document[number - 1]
                found = read_page(page, number, form)
                page.close()
            except pypdfium2.PdfiumError:
                read.damaged.append(number)
                continue
            read.lines += found.lines
            read.added += [at(block, number, note.box) for note in found.notes for block in comment(note.remarks)]
            for text, box in found.figures:
                if text not in described:
                    read.added.append(at(Block("image", text), number, box))
                    described.add(text)
            read.shown[number] = found.shown
            read.files += [FileWithin(name, content, number) for name, content in found.files]
            read.struck += found.struck
            if found.has_nonsense:
                read.nonsense.append(number)
            elif found.has_image and not found.lines:
                read.images.append(number)
    return read


def _problems(document: Any) -> Iterator[tuple[str, str]]:
    """What of the document could not be read though it is no image, and what the user can do."""
    if is_dynamic(document):
        yield (
            "This PDF is a dynamic form (XFA); its fields could not be read.",
            "Open it in Adobe Acrobat Reader, print it to a PDF file and add that.",
        )


def _without_letters(read: Read) -> Iterator[tuple[str, str]]:
    """Which pages OCR may read, and what the user can do."""
    if read.images:
        number, pages = len(read.images), read.pages
        yield f"{number} of {pages} pages ({ranges(read.images)}) {'contain' if number > 1 else 'contains'} only images.", OCR
    if read.nonsense:
        number, pages = len(read.nonsense), read.pages
        yield (
            f"{number} of {pages} pages ({ranges(read.nonsense)}) {'use' if number > 1 else 'uses'} a font whose letters cannot be read.",
            OCR,
        )


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
    if not blocks:
        return ""
    start = blocks[:4] if blocks[-1].page != 1 else list(takewhile(_is_heading, blocks))  # a single page may be an excerpt
    return next((b.text for b in start if _is_heading(b) and b.level == 1 and b.page == 1 and not b.text[0].isdigit()), "")


def _is_heading(block: Block) -> bool:
    return block.kind == "heading"


def _without_text(read: Read) -> UnreadableFile:
    images = "The pages of this PDF contain only images, no text."
    reason = "The fonts of this PDF do not say which letters they show." if read.nonsense else images
    return Scan(reason, OCR, read.pages, tuple(read.unreadable))


def damaged_pdf() -> UnreadableFile:
    """What is said of a PDF that pdfium cannot read."""
    return UnreadableFile("This PDF is damaged.", "Open it in a PDF reader, save it again and add the new file.")
