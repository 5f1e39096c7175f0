"""Reads calendars (.ics), and embeds texts by their groups of three letters, in any language."""

import re
from collections.abc import Sequence
from typing import Any
from zlib import crc32

import numpy as np

from footnote.types import Block, Parsed


def parse(data: bytes, file_name: str) -> Parsed:
    """Each event becomes a heading, and a paragraph with what is known of it."""
    blocks = []
    for event in re.sub(r"\r?\n[ \t]", "", data.decode("utf-8-sig", "replace")).split("BEGIN:VEVENT")[1:]:
        known = dict(re.findall(r"^(SUMMARY|DTSTART|LOCATION|DESCRIPTION)[^:\n]*:(.*?)\r?$", event, re.MULTILINE))
        when = re.sub(r"^(\d{4})(\d\d)(\d\d)(T(\d\d)(\d\d).*)?$", r"\1-\2-\3 \5:\6", known.get("DTSTART", "")).rstrip(": ")
        blocks.append(Block("heading", known.get("SUMMARY", "Event"), 1))
        facts = (("When", when), ("Where", known.get("LOCATION")), ("What", known.get("DESCRIPTION")))
        blocks.append(Block("paragraph", re.sub(r"\\(.)", r"\1", " ".join(f"{name}: {text}." for name, text in facts if text))))
    return Parsed(tuple(blocks))


class Trigrams:
    """A `footnote.ports.Embedder`."""

    name, languages = "trigrams", None

    def __init__(self, wanted: Any) -> None:
        self.dimension: int = wanted.dimension

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> Any:
        """How often each group occurs; Footnote scales the vectors to length 1."""
        groups = [[crc32(text.lower()[i : i + 3].encode()) % self.dimension for i in range(len(text))] for text in texts]
        return np.array([np.bincount(each, minlength=self.dimension) for each in groups])
