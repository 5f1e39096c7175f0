"""Reads what only images show, where OCR is installed: the scanned pages of a PDF, and files that are images.

Each page is drawn by a child process and read by `Ocr`, with a time limit of its own. What could not be read, in time or at all, is said
in the document's reason. Lines become blocks as those of a PDF do, each with its place and confidence."""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Protocol

from footnote.errors import Scan, UnreadableFile
from footnote.ingest.child import MEDIA, RENDER, Children, raise_refusal
from footnote.ingest.parse import finish, media
from footnote.ingest.parse.decode import clean
from footnote.ingest.parse.pdf import OCR, ranges
from footnote.ingest.parse.pdf.blocks import to_blocks
from footnote.ingest.parse.pdf.lines import Box, Line, unweave
from footnote.ingest.parse.pdf.render import DPI, points_of_pixel
from footnote.ports import Ocr, OcrLine, OcrPage
from footnote.types import Block, Parsed, Place

READABLE = 0.65
"""Mean confidence below which the text of a page is not used, and a line is uncertain."""
LEGIBLE = 0.5
"""Mean confidence below which a line is left out: that of texts in other scripts is lower."""
PAGE_S = 30.0
"""Time limit of a page; one takes one to three seconds."""
FILE_LIMITS = 3
"""When the last page of a file is begun, in time limits of the parser: after 180 seconds, so that it ends within the lease of its job."""
SAME_SIZE = 0.25
"""OCR measures a font's height by the letters in a line, so that it differs by this share within one text."""
_LEAST_LETTERS = 8
"""A page with fewer has no text: specks and the edges of paper are read as some."""
_LETTER = re.compile(r"\w")
_SPLIT = "Split it into smaller files and add those."
_COMPARE = "Compare important passages with the original pages."
_LANGUAGE = "Add a better scan, or install the language of the text for Tesseract where the server runs and add the file again."


class _Parser(Protocol):
    async def parse(self, data: bytes, file_name: str) -> Parsed: ...

    async def close(self) -> None: ...


@dataclass(slots=True)
class _Read:
    """What became of the pages. `late`: not read in time; `unread`: text that is illegible or in a language that is not read."""

    lines: dict[int, list[Line]] = field(default_factory=dict)
    slopes: dict[int, float] = field(default_factory=dict)
    """Page → how far a line goes down on it, for its length."""
    turns: dict[int, tuple[int, float, float]] = field(default_factory=dict)
    """Page that lies on its side → the degrees that it was turned by, and its size then, in points."""
    illegible: int = 0
    """The number of lines that were left out of these pages."""
    late: list[int] = field(default_factory=list)
    unread: list[int] = field(default_factory=list)


class ScanParser:
    """A parser that reads by `ocr` what `parser` finds to be images. `timeout_s`, `memory_mb`: as those of `ParserProcess`.
    `with_pictures`: also the pictures in Office files."""

    def __init__(self, parser: _Parser, ocr: Ocr, timeout_s: float = 60, memory_mb: int = 1024, *, with_pictures: bool = False) -> None:
        self._parser = parser
        self._ocr = ocr
        self._limit_s = FILE_LIMITS * timeout_s
        self._pages = Children(RENDER, PAGE_S, memory_mb)
        self._pictures = Children(MEDIA, timeout_s, memory_mb) if with_pictures else None
        self._at_once = max(1, (os.cpu_count() or 1) // 2)

    async def parse(self, data: bytes, file_name: str) -> Parsed:
        """Parses a file. Unavailable after `close`."""
        try:
            parsed = await self._parser.parse(data, file_name)
        except Scan as exc:
            if data.startswith(b"PK"):
                if self._pictures is None:
                    raise
                read = await self._with_pictures(self._pictures, Parsed(()), data, file_name)
                return await asyncio.to_thread(finish, read, read.format, file_name)
            found = await (self._read_pages(data, exc.scans) if exc.pages else self._read_image(data))
            pages = exc.pages or len(found.lines) + len(found.late) + len(found.unread)
            if not any(found.lines.values()):
                reasons = self._problems(found, pages)
                raise UnreadableFile(*reasons[0]) if reasons else UnreadableFile("OCR found no text in this file.", _LANGUAGE) from exc
            empty = Parsed((), "", pages if exc.pages else None)
            read = await asyncio.to_thread(self._with_text, empty, found, pages)
            return await asyncio.to_thread(finish, read, "pdf" if exc.pages else "image", file_name)
        if parsed.format in media.FORMATS and self._pictures is not None:
            return await self._with_pictures(self._pictures, parsed, data, file_name)
        if not parsed.scans:
            return parsed
        numbers, said = parsed.scans
        reason, remedy = (parsed.reason or "").replace(said, ""), (parsed.remedy or "").replace(OCR, "")
        rest = replace(parsed, reason=_joined(reason), remedy=_joined(remedy), scans=None)
        found = await self._read_pages(data, numbers)
        return await asyncio.to_thread(self._with_text, rest, found, parsed.pages or len(numbers))

    async def close(self) -> None:
        """Ends the children."""
        await self._pages.close()
        if self._pictures is not None:
            await self._pictures.close()
        await self._parser.close()

    async def _read_pages(self, data: bytes, numbers: Sequence[int]) -> _Read:
        found = _Read()
        deadline = time.monotonic() + self._limit_s
        waiting = iter(numbers)

        async def work() -> None:
            for number in waiting:
                if time.monotonic() >= deadline:
                    found.late.append(number)
                    continue
                try:
                    page, scale = await self._read_page(data, number)
                    if page.turn:
                        turn = page.turn
                        page, scale = await self._read_page(data, number, turn)
                        found.turns[number] = (turn, page.width * scale, page.height * scale)
                except UnreadableFile:
                    found.unread.append(number)
                else:
                    await asyncio.to_thread(_sort, found, number, page, scale)

        await asyncio.gather(*(work() for _ in range(self._at_once)))
        return found

    async def _read_page(self, data: bytes, number: int, turn: int = 0) -> tuple[OcrPage, float]:
        """(what a page says, points of a pixel)."""
        drawn = await self._pages.ask(data, f"{number} {turn}", len(data), PAGE_S)
        raise_refusal(drawn)
        scale = points_of_pixel(drawn)
        [page] = await self._ocr.read(drawn, PAGE_S, round(72 / scale))
        return page, scale

    async def _read_image(self, data: bytes) -> _Read:
        found = _Read()
        for number, page in enumerate(await self._read_images(data), 1):
            await asyncio.to_thread(_sort, found, number, page, 72 / DPI)
        return found

    async def _read_images(self, data: bytes) -> list[OcrPage]:
        """What the images of a file say, those that lie on their side turned upright: as pages of a PDF they are drawn like one. What the
        resolution of an image file says is often wrong, and nothing depends on it."""
        pages = await self._ocr.read(data, self._limit_s)
        if any(page.turn for page in pages):
            pdf = await self._ocr.as_pdf(data, PAGE_S, DPI)
            for at, page in enumerate(pages):
                if page.turn:
                    pages[at], _ = await self._read_page(pdf, at + 1, page.turn)
        return pages

    async def _with_pictures(self, children: Children, parsed: Parsed, data: bytes, file_name: str) -> Parsed:
        """The file with the text of its pictures, each a block after the text that it follows. A picture without text that is read, such
        as a photo, is left out."""
        answer = await children.ask(data, file_name, len(data), self._limit_s / FILE_LIMITS)
        raise_refusal(answer)
        name, pictures = await asyncio.to_thread(media.read, answer)
        deadline = time.monotonic() + self._limit_s
        blocks, start, read, late = list(parsed.blocks), 0, 0, 0
        for picture in pictures:
            if time.monotonic() >= deadline:
                late += 1
                continue
            found = _Read()
            try:
                for page in await self._ocr.read(picture.data, PAGE_S):
                    await asyncio.to_thread(_sort, found, 1, page, 72 / DPI)
            except UnreadableFile:
                continue
            if text := "\n".join(line.text for line in found.lines.get(1, ())):
                at = _place_of(picture, blocks, start)
                blocks.insert(at, Block("image", text, page=picture.page or (blocks[at - 1].page if at else None)))
                start, read = at if picture.page is None else 0, read + 1
        said = [f"Pictures with text that OCR read: {read}."] if read else []
        said += [f"Pictures that OCR did not read in time: {late}."] if late else []
        remedies = [_COMPARE] * bool(read) + [_SPLIT] * bool(late)
        reason, remedy = _joined(parsed.reason, *said), _joined(parsed.remedy, *remedies)
        return replace(parsed, blocks=tuple(blocks), reason=reason, remedy=remedy, format=parsed.format or name)

    def _with_text(self, parsed: Parsed, found: _Read, pages: int) -> Parsed:
        """The file with the pages that were read, each in its place."""
        numbers = sorted(found.lines)
        lines = [line for number in numbers for line in found.lines[number]]
        added = [_as_shown(block, found) for block in to_blocks(lines, len(numbers))] if lines else []
        blocks = sorted((*parsed.blocks, *added), key=lambda block: (block.page is None, block.page or 0))  # attached files stay last
        reasons, remedies = [parsed.reason], [parsed.remedy]
        for reason, remedy in self._problems(found, pages):
            reasons.append(reason)
            remedies.append(remedy)
        return replace(parsed, blocks=tuple(blocks), reason=_joined(*reasons), remedy=_joined(*dict.fromkeys(remedies)))

    def _problems(self, found: _Read, pages: int) -> list[tuple[str, str]]:
        """What to say of the pages, and what the user can do."""
        said: list[tuple[str, str]] = []
        if read := sorted(number for number, lines in found.lines.items() if lines):
            lines = [line for number in read for line in found.lines[number]]
            count, uncertain = len(lines), sum((line.confidence or 0) < READABLE for line in lines)
            at, out = ranges(read), found.illegible
            reason = (
                f"Read by OCR: {len(read)} of {pages} pages ({at}); lines: {count}, uncertain: {uncertain}, illegible and left out: {out}."
            )
            said.append((reason, _COMPARE))
        if unread := sorted(found.unread):
            count, names = len(unread), ", ".join(self._ocr.languages)
            reason = f"Not legible to OCR: {count} of {pages} pages ({ranges(unread)}); languages that it reads here: {names}."
            said.append((reason, _LANGUAGE))
        if late := sorted(found.late):
            said.append((f"Not read by OCR in time: {len(late)} of {pages} pages ({ranges(late)}).", _SPLIT))
        return said


def _joined(*parts: str | None) -> str | None:
    return " ".join(" ".join(part.split()) for part in parts if part and part.strip()) or None


def _sort(found: _Read, number: int, page: OcrPage, scale: float) -> None:
    """Notes the text of a page, or that it is unread."""
    lines = [line for row in page.rows for line in row]
    letters = sum(len(_LETTER.findall(line.text)) for line in lines)
    weight = sum(len(line.text) for line in lines)
    if letters < _LEAST_LETTERS:
        found.lines[number] = []
    elif sum(line.confidence * len(line.text) for line in lines) < READABLE * weight:
        found.unread.append(number)
    else:
        rows = [[line for line in row if line.confidence >= LEGIBLE] for row in page.rows]
        found.illegible += sum(line.confidence < LEGIBLE and bool(_LETTER.search(line.text)) for line in lines)
        found.slopes[number] = slope = median(line.slope for line in lines)
        found.lines[number] = to_lines([row for row in rows if row], number, scale, slope, page.height)


def to_lines(rows: Sequence[Sequence[OcrLine]], number: int, scale: float, slope: float, height: float) -> list[Line]:
    """The lines of a page in reading order, those of columns one column after the other. `scale`: points of a pixel; `height`: of the page
    in pixels. The lines are levelled: on a page that was scanned at
    a slight angle, short lines would seem higher or lower than long ones."""
    body = median(line.size for row in rows for line in row)

    def level(line: OcrLine) -> Line:
        rise = slope * (line.x1 - line.x0)
        y0, y1 = (y - slope * line.x0 for y in (line.y0 - min(0.0, rise), line.y1 - max(0.0, rise)))
        size = body if abs(line.size - body) < SAME_SIZE * body else line.size
        x0, x1, y0, y1, size = (at * scale for at in (line.x0, line.x1, y0, y1, size))
        return Line(clean(line.text), number, x0, x1, y0, y1, size, page_height=height * scale, confidence=line.confidence)

    return unweave([[level(line) for line in row] for row in rows])


def _as_shown(block: Block, found: _Read) -> Block:
    """The block with its lines where they are on the scanned page, which may be tilted or lie on its side."""

    def shown(place: Place) -> Place:
        slope = found.slopes[place.page]
        left, right = slope * place.x0, slope * place.x1
        box = Box(place.x0, place.y0 + min(left, right), place.x1, place.y1 + max(left, right))
        turn, width, height = found.turns.get(place.page, (0, 0.0, 0.0))
        return Place(place.offset, place.page, *box.turned((360 - turn) % 360, width, height), place.confidence)

    return replace(block, places=tuple(map(shown, block.places)))


def _place_of(picture: media.Picture, blocks: Sequence[Block], start: int) -> int:
    """Where to insert its block: at the end of its slide, or after the first block from `start` on that has the text before it; else at
    the end."""
    if picture.page is not None:
        return next((i for i, block in enumerate(blocks) if (block.page or 0) > picture.page), len(blocks))
    if not picture.after:
        return start
    before = " ".join(picture.after.split())
    return next((i + 1 for i in range(start, len(blocks)) if before in " ".join(blocks[i].text.split())), len(blocks))
