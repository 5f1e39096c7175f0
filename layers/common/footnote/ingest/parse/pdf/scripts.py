"""Raised digits in a line of a page, told from others by their height and their baseline. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from footnote.ingest.parse.pdf.lines import Box
from footnote.ingest.parse.superscript import superscript

SMALL = 0.87
"""The share of the height of a line's text that what is raised has at most."""
_RISE, RISE_OF_LARGE, _HIGHEST = 0.15, 0.3, 0.8
"""Font heights by which its baseline is above that of the line: at least, at least if it is as large as the line's text, and at most."""
_TOUCHING = 0.2
"""Font heights of the widest gap before it."""
RAISED = re.compile(r"[\[(+\-−–]?\d(?:[\d,;+\-−–]*\d)?[+\-−–]?[\])]?")
"""What may be raised: the number of a note, several of them, a power. Letters stay as they are: LᴬTᴇX, 1ˢᵗ."""
RAISED_FIRST = re.compile(rf"({RAISED.pattern})([^\w\s]*)")
"""The same and the punctuation after it."""
DIGIT = re.compile(r"\d")
SCRIPT_STARTS = frozenset("0123456789[(+-−–")
DIGIT_WITHIN = re.compile(r"\w\W?(\d)(?=[^\w\s]+$|[/·×*)\]])")
"""A digit that may be raised although the word's first and last characters are not: `m²/s`, `1953¹.`"""


class Char(NamedTuple):
    """A character: its box by font height, and its baseline."""

    box: Box
    base: float

    @property
    def height(self) -> float:
        return self.box.y1 - self.box.y0


def is_raised(char: Char, line: Char) -> bool:
    """Whether a character is higher than one of the line, and smaller or much higher."""
    least = _RISE if char.height < SMALL * line.height else RISE_OF_LARGE
    return least * line.height < line.base - char.base < _HIGHEST * line.height


def touches(before: Box, box: Box) -> bool:
    """Whether there is no space between two characters."""
    return abs(box.x0 - before.x1) < _TOUCHING * (before.y1 - before.y0)


def scripted(text: str, chars: Sequence[Char], before: str) -> str:
    """A word, given its characters and the line before it, with its raised digits as they are written."""
    line = max(chars, key=lambda char: (char.height >= SMALL * chars[0].height, char.base))
    written = ""
    start = 0
    for raised, group in groupby(chars, lambda char: is_raised(char, line)):
        end = start + len(list(group))
        part = text[start:end]
        if raised and RAISED.fullmatch(part) and ((before + written).strip() or text[end : end + 1].isalpha()):
            part = superscript(part, before + written, text[end:])
        written += part
        start = end
    return written
