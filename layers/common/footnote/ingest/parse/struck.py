"""Reports that most of a document is struck through. Struck text is left out by every parser; a little of it is not worth a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from footnote.errors import UnreadableFile
from footnote.types import Block, Parsed

_REMEDY = "Remove the strikethrough from what is still valid and add it again."


def reported(parsed: Parsed, struck: int) -> Parsed:
    """The parsed file, with a reason if more characters were struck than kept. UnreadableFile if all were."""
    if struck and not parsed.files and not has_text(parsed.blocks):
        raise UnreadableFile("All text of this file is struck through.", _REMEDY)
    if struck <= sum(len(block.text) for block in parsed.blocks):
        return parsed
    reasons = filter(None, (parsed.reason, "Most of the text is struck through and was left out."))
    return replace(parsed, reason=" ".join(reasons), remedy=parsed.remedy or _REMEDY)


def has_text(blocks: Sequence[Block]) -> bool:
    """Whether any block has a letter or digit, and not only the marks of empty items."""
    return any(char.isalnum() for block in blocks for char in block.text)
