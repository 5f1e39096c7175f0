"""Reads hOCR, the form in which Tesseract says where each character is and how certain each word. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from typing import Any, NamedTuple

_BOX = re.compile(r"\bx?_?bbox(?:es)? (-?\d+) (-?\d+) (-?\d+) (-?\d+)")
_CONFIDENCE = re.compile(r"\bx_wconf (\d+)")
_SLOPE = re.compile(r"\bbaseline (-?[\d.]+)")


class Char(NamedTuple):
    """A character and its horizontal extent in pixels."""

    text: str
    x0: int
    x1: int


@dataclass(frozen=True, slots=True)
class Word:
    """A word; its box is in pixels from the upper left corner. `confidence`: 0..100."""

    chars: tuple[Char, ...]
    confidence: float
    x0: int
    y0: int
    x1: int
    y1: int

    @property
    def text(self) -> str:
        return "".join(char.text for char in self.chars)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of words from left to right. `slope`: as in `OcrLine`."""

    words: tuple[Word, ...]
    slope: float = 0.0

    @property
    def size(self) -> float:
        """Font height in pixels, by its words: what Tesseract says of it is often twice as much where a line is not in the language of
        the model."""
        return float(median(word.y1 - word.y0 for word in self.words))


@dataclass(frozen=True, slots=True)
class Image:
    """An image with its lines from top to bottom."""

    width: int
    height: int
    lines: tuple[Line, ...]


def read_hocr(data: bytes) -> list[Image]:
    """The images of a result; [] if it is none."""
    from lxml import etree

    parser = etree.XMLParser(recover=True, resolve_entities=False, load_dtd=False, no_network=True, huge_tree=True)
    root = etree.fromstring(data, parser) if data.strip() else None
    return [] if root is None else [_image(page) for page in root.iter("{*}div") if page.get("class") == "ocr_page"]


def _image(page: Any) -> Image:
    lines = (_line(span) for span in page.iter("{*}span") if span.get("class") in _LINES)
    *_, width, height = _box(page)
    return Image(width, height, tuple(line for line in lines if line.words))


_LINES = ("ocr_line", "ocr_header", "ocr_caption", "ocr_textfloat")


def _line(span: Any) -> Line:
    slope = _SLOPE.search(span.get("title", ""))
    return Line(tuple(_words(span)), float(slope[1]) if slope else 0.0)


def _words(line: Any) -> Iterator[Word]:
    for span in line.iter("{*}span"):
        if span.get("class") != "ocrx_word":
            continue
        chars = tuple(
            Char(text, *_box(char)[::2])
            for char in span.iter("{*}span")
            if char.get("class") == "ocrx_cinfo" and (text := "".join(char.itertext()).strip())
        )
        confidence = _CONFIDENCE.search(span.get("title", ""))
        if chars and confidence:
            yield Word(chars, float(confidence[1]), *_box(span))


def _box(element: Any) -> tuple[int, int, int, int]:
    match = _BOX.search(element.get("title", ""))
    x0, y0, x1, y1 = map(int, match.groups()) if match else (0, 0, 0, 0)
    return x0, y0, x1, y1
