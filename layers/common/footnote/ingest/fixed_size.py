"""Cuts a text into passages of a fixed number of characters, for collections and senders that chose that (`POST /insert-doc`)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from footnote.ingest.pieces import Piece

BETWEEN = "\n\n"
"""What `pieces.render` puts between two blocks."""


@dataclass(frozen=True, slots=True)
class FixedSize:
    """Passages of at most `size` characters that end before a `separator` if they can, "" = anywhere. Each repeats at most `overlap`
    characters of the one before; `overlap` is at most half of `size`."""

    size: int
    overlap: int
    separator: str


DEFAULT = FixedSize(1024, 128, " ")
"""The sizes of a document or collection for which nobody chose others."""


def cut_pieces(pieces: Sequence[Piece], fixed: FixedSize) -> Iterator[list[Piece]]:
    """The pieces of each passage. Sizes count the characters of the rendered text, empty lines between blocks included."""
    starts, at = [], 0
    for piece in pieces:
        starts.append(at)
        at += len(piece.text) + len(BETWEEN)
    for start, end in fixed_bounds(BETWEEN.join(piece.text for piece in pieces), fixed):
        within = slice(bisect_right(starts, start) - 1, bisect_left(starts, end))
        yield [
            replace(piece, text=text, start=piece.start + max(start - first, 0))
            for piece, first in zip(pieces[within], starts[within], strict=True)
            if (text := piece.text[max(start - first, 0) : end - first])
        ]


def fixed_bounds(text: str, fixed: FixedSize) -> Iterator[tuple[int, int]]:
    """(start, end) of each passage, without white space at its ends."""
    start, end = 0, 0
    while end < len(text):
        before, end = end, min(start + fixed.size, len(text))
        # Past the end of the passage before, so that none lies within another.
        cut = text.rfind(fixed.separator, max(start, before) + 1, end + len(fixed.separator)) if fixed.separator else -1
        is_whole = end < len(text) and cut >= 0
        end = cut if is_whole else end
        passage = text[start:end]
        if kept := passage.strip():
            first = start + passage.index(kept)
            yield first, first + len(kept)
        start = _next_start(text, start, end, is_whole, fixed)


def _next_start(text: str, start: int, end: int, is_whole: bool, fixed: FixedSize) -> int:
    """Where the passage after (start, end) begins: after the first separator within the overlap."""
    if not is_whole:
        return end - fixed.overlap
    at = text.find(fixed.separator, max(end - fixed.overlap - len(fixed.separator), start), end)
    return (at if at >= 0 else end) + len(fixed.separator)
