"""Makes scans of documents and measures how well they are read.

    python -m bench.scans FOLDER … [--pages 6] [--dpi 200] [--out FOLDER]

Each document's headings, paragraphs and lists are drawn on pages of A4, in turn with and without serifs, as a scanner delivers them:
slightly rotated, blurred, with noise, compressed as JPEG. The truth is the text that was drawn. For each folder it prints the
character error (edits per character of the truth, white space counted as one), the share of lines that are uncertain, and seconds a
page. `--out` keeps the scans as PDF.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import random
import re
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageFont
from rapidfuzz.distance import Levenshtein

from footnote.adapters.tesseract.ocr import find_tesseract
from footnote.errors import UnreadableFile
from footnote.ingest.parse import parse
from footnote.ingest.scans import READABLE
from footnote.ports import Ocr

A4_INCHES = (8.27, 11.69)
MARGIN_INCHES = 1.0
FONTS = {
    "sans": ("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc"),
    "serif": ("/usr/share/fonts/truetype/dejavu/DejaVuSerif.ttf", "/usr/share/fonts/opentype/noto/NotoSerifCJK-Regular.ttc"),
}
"""Style → the font of alphabets, and that of Chinese, Japanese and Korean, as Debian's packages fonts-dejavu and fonts-noto-cjk have
them."""
KOREAN_FACE = 1
FIRST_CJK = "\u1100"
SHORTEST = 1500
"""Characters of a document; a shorter one is left out."""
POINTS = {"heading": 15, "paragraph": 10.5, "list": 10.5}


@dataclass(frozen=True)
class Page:
    """A drawn page, before it is scanned."""

    image: Image.Image
    text: str


def draw(blocks: Sequence[tuple[str, str]], style: str, dpi: int) -> Iterator[Page]:
    """Pages with these (kind, text), broken into lines."""
    width, height = (round(inches * dpi) for inches in A4_INCHES)
    margin = round(MARGIN_INCHES * dpi)
    lines: list[str] = []
    image = Image.new("L", (width, height), 255)
    pen, y = ImageDraw.Draw(image), margin
    for kind, text in blocks:
        size = POINTS[kind] * dpi / 72
        for paragraph in text.split("\n"):
            font = _font(paragraph, style, size)
            for line in _broken(paragraph, font, width - 2 * margin):
                if y + 1.4 * size > height - margin:
                    yield Page(image, "\n".join(lines))
                    lines = []
                    image = Image.new("L", (width, height), 255)
                    pen, y = ImageDraw.Draw(image), margin
                pen.text((margin, y), line, fill=0, font=font)
                lines.append(line)
                y += round(1.4 * size)
        y += round(0.7 * size)
    if lines:
        yield Page(image, "\n".join(lines))


def scan(image: Image.Image, seed: int) -> Image.Image:
    """The page as a scanner delivers it."""
    chance = random.Random(seed)
    turned = image.rotate(chance.uniform(-0.6, 0.6), Image.Resampling.BICUBIC, fillcolor=255)
    blurred = turned.filter(ImageFilter.GaussianBlur(0.6))
    noise = Image.frombytes("L", image.size, random.Random(seed).randbytes(image.width * image.height))
    grain = noise.point(lambda value: value // 10)
    paper = ImageChops.subtract(blurred.point(lambda value: 20 + value * 215 // 255), grain, 1, 12)
    packed = io.BytesIO()
    paper.save(packed, "JPEG", quality=75)
    return Image.open(packed)


def scanned_pdf(pages: Sequence[Image.Image], dpi: int) -> bytes:
    """A PDF that holds nothing but these images."""
    out = io.BytesIO()
    pages[0].save(out, "PDF", save_all=True, append_images=pages[1:], resolution=dpi)
    return out.getvalue()


def _font(text: str, style: str, size: float) -> ImageFont.FreeTypeFont:
    latin, cjk = FONTS[style]
    if any(char >= FIRST_CJK and char.isalpha() for char in text):
        return ImageFont.truetype(cjk, size, index=KOREAN_FACE)
    return ImageFont.truetype(latin, size)


def _broken(text: str, font: ImageFont.FreeTypeFont, width: float) -> Iterator[str]:
    line = ""
    for word in text.split():
        longer = f"{line} {word}".strip()
        if line and font.getlength(longer) > width:
            yield line
            longer = word
        while font.getlength(longer) > width:
            most = next(n for n in range(len(longer), 0, -1) if font.getlength(longer[:n]) <= width)
            yield longer[:most]
            longer = longer[most:]
        line = longer
    if line:
        yield line


def flat(text: str) -> str:
    """The text with single spaces."""
    return re.sub(r"\s+", " ", text).strip()


def blocks_of(path: Path) -> list[tuple[str, str]]:
    """(kind, text) of the headings, paragraphs and lists of a document; [] if it cannot be read."""
    try:
        parsed = parse(path.read_bytes(), path.name)
    except UnreadableFile:
        return []
    return [(block.kind, block.text) for block in parsed.blocks if block.kind in POINTS]


def pages_of(folder: Path, most: int, dpi: int) -> list[Page]:
    """The scanned first two pages of each document, until there are `most`."""
    pages: list[Page] = []
    documents = (blocks for path in sorted(folder.rglob("*")) if path.is_file() and (blocks := blocks_of(path)))
    for number, blocks in enumerate(blocks for blocks in documents if sum(len(text) for _, text in blocks) > SHORTEST):
        for page in islice(draw(blocks, ("sans", "serif")[number % 2], dpi), 2):
            pages.append(replace(page, image=scan(page.image, len(pages))))
        if len(pages) >= most:
            return pages[:most]
    return pages


async def measure(pages: Sequence[Page], ocr: Ocr, dpi: int) -> tuple[float, float, float]:
    """(character error, share of uncertain lines, seconds a page)."""
    edits = characters = uncertain = lines = 0
    start = time.perf_counter()
    for page in pages:
        image = io.BytesIO()
        page.image.save(image, "PNG")
        [read] = await ocr.read(image.getvalue(), 120, dpi)
        truth, found = flat(page.text), flat(" ".join(line.text for row in read.rows for line in row))
        edits += Levenshtein.distance(truth, found)
        characters += len(truth)
        lines += sum(map(len, read.rows))
        uncertain += sum(line.confidence < READABLE for row in read.rows for line in row)
    seconds = time.perf_counter() - start
    return edits / characters, uncertain / max(1, lines), seconds / len(pages)


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints a row for each folder."""
    parser = argparse.ArgumentParser("python -m bench.scans", description="Measures how well scans of documents are read.")
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--pages", type=int, default=6, help="of each folder")
    parser.add_argument("--dpi", type=int, default=200)
    parser.add_argument("--out", type=Path, help="a folder for the scans")
    options = parser.parse_args(arguments)
    if (ocr := find_tesseract()) is None:
        sys.exit("There is no Tesseract on this machine. On Debian: apt-get install tesseract-ocr tesseract-ocr-deu tesseract-ocr-kor")
    print(f"{'folder':40} {'pages':>5} {'character error':>15} {'uncertain lines':>15} {'s a page':>8}")
    for number, folder in enumerate(options.folders, 1):
        pages = pages_of(folder, options.pages, options.dpi)
        if not pages:
            print(f"{str(folder)[-40:]:40} {'none':>5}")
            continue
        error, uncertain, seconds = asyncio.run(measure(pages, ocr, options.dpi))
        print(f"{str(folder)[-40:]:40} {len(pages):5} {error:15.1%} {uncertain:15.1%} {seconds:8.1f}", flush=True)
        if options.out:
            options.out.mkdir(parents=True, exist_ok=True)
            (options.out / f"{number}.pdf").write_bytes(scanned_pdf([page.image for page in pages], options.dpi))


if __name__ == "__main__":
    main()
