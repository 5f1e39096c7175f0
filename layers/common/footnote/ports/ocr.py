"""Recognition of the text in images."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class OcrLine:
    """A line of text. The box is in pixels from the upper left corner of its image."""

    text: str
    confidence: float
    """0..1: the mean of its words', by their lengths."""
    x0: float
    y0: float
    x1: float
    y1: float
    size: float
    """Font height in pixels."""
    slope: float = 0.0
    """Pixels that it goes down, for each to the right: a scanned page lies at a slight angle."""


@dataclass(frozen=True, slots=True)
class OcrPage:
    """An image of a file. `rows`: its lines from top to bottom, each in the pieces that wide gaps divide it into."""

    width: int
    height: int
    rows: tuple[tuple[OcrLine, ...], ...]
    turn: int = 0
    """Degrees to turn it clockwise by, 90, 180 or 270, for its text to be read; 0 = it is upright, or nobody knows."""


class Ocr(Protocol):
    """Reads images."""

    languages: tuple[str, ...]
    """ISO 639-2 codes of the languages whose texts it reads, sorted; at least one."""

    async def read(self, image: bytes, timeout_s: float, dpi: int | None = None) -> list[OcrPage]:
        """The images of a file, mostly one, read in the language that fits best. `image`: PNG, JPEG, TIFF, WebP, GIF, BMP or PNM.
        `dpi`: its dots per inch; None = as it says. Text in another language or an unknown script has a low confidence. UnreadableFile
        if it is damaged or takes longer than `timeout_s`. Cancelling ends it."""

    async def as_pdf(self, image: bytes, timeout_s: float, dpi: int) -> bytes:
        """A PDF with an image of the file on each page, as large as `dpi` makes it. UnreadableFile and cancelling as in `read`."""
