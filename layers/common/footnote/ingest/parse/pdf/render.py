"""Draws a page of a PDF for OCR, in the child process that parses."""

from __future__ import annotations

from math import sqrt

from footnote.ingest.parse.pdf import damaged_pdf

DPI = 200
"""Dots per inch of the drawn page, as scans have them. Scans of 300 take 1.3 to 3 times as long and are read no better: wrong are 0.1 % of
the characters in English and 0.2 % in German with both, in Korean 4.4 % and 3.0 % with 200, 4.7 % and 5.3 % with 300."""
_MOST_PIXELS = 25_000_000
"""Of a drawn page: A3 at 300 dpi has 17 million."""


def parse(data: bytes, file_name: str) -> bytes:
    """A page as displayed: a grey PNM image. `file_name`: its number, and the degrees to turn it clockwise by."""
    import pypdfium2

    try:
        number, turn = map(int, file_name.split())
        page = pypdfium2.PdfDocument(data)[number - 1]
        width, height = page.get_size()
        scale = min(DPI / 72, sqrt(_MOST_PIXELS / max(1.0, width * height)))
        bitmap = page.render(scale=scale, rotation=turn, grayscale=True)
    except pypdfium2.PdfiumError as exc:
        raise damaged_pdf() from exc
    rows = memoryview(bytes(bitmap.buffer))
    kept = b"".join(rows[start : start + bitmap.width] for start in range(0, bitmap.stride * bitmap.height, bitmap.stride))
    return b"P5\n#%.6f\n%d %d 255\n" % (1 / scale, bitmap.width, bitmap.height) + kept


def points_of_pixel(image: bytes) -> float:
    """The points of a pixel of a drawn page, which its comment says."""
    return float(image.split(b"\n", 2)[1].removeprefix(b"#"))
