"""Scans, drawn line by line, as files and as the pages of a PDF."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence

import pytest
from PIL import Image, ImageDraw, ImageFont

from bench.scans import scan, scanned_pdf
from footnote.adapters.tesseract.ocr import TesseractOcr, find_tesseract

FONT = "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc"
JAPANESE, KOREAN = 0, 1
DPI = 200
SIZE = 30.0


def tesseract() -> TesseractOcr:
    """Tesseract with English, German and Korean; the test is skipped without it, and fails in CI."""
    found = find_tesseract()
    if found is not None and {"eng", "deu", "kor"} <= set(found.languages) and os.path.exists(FONT):
        return found
    reason = "Tesseract or its font is missing. On Debian: apt-get install tesseract-ocr tesseract-ocr-deu tesseract-ocr-kor fonts-noto-cjk"
    return pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)


def drawn(
    lines: Sequence[str], *, left: int = 150, top: int = 150, size: float = SIZE, face: int = KOREAN, on: Image.Image | None = None
) -> Image.Image:
    """A page with these lines, from its top or on a drawn one."""
    page = on or Image.new("L", (1200, 900), 255)
    font = ImageFont.truetype(FONT, size, index=face)
    for number, line in enumerate(lines):
        ImageDraw.Draw(page).text((left, top + round(1.5 * size) * number), line, fill=0, font=font)
    return page


def photo(image: Image.Image, kind: str = "PNG", seed: int = 1) -> bytes:
    """The page as a scanner saves it."""
    out = io.BytesIO()
    scan(image, seed).save(out, kind, dpi=(DPI, DPI))
    return out.getvalue()


def pdf_of(*pages: Image.Image) -> bytes:
    """A PDF of scanned pages."""
    return scanned_pdf([scan(page, number) for number, page in enumerate(pages)], DPI)
