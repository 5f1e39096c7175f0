"""`fixed_size`: passages of a fixed number of characters, which may span sections."""

from __future__ import annotations

from collections.abc import Sequence

from footnote.ingest.chunk.passages import Cutting, Passage, Section
from footnote.ingest.fixed_size import DEFAULT, cut_pieces


def by_size(sections: Sequence[Section], cutting: Cutting) -> list[Passage]:
    """Passages of the size that the sender chose, or of the default one."""
    paths = {piece.block: section.path for section in sections for piece in section.pieces}
    pieces = [piece for section in sections for piece in section.pieces]
    return [
        Passage(cut, list(dict.fromkeys(paths[piece.block] for piece in cut if piece.kind != "heading")))
        for cut in cut_pieces(pieces, cutting.fixed or DEFAULT)
    ]
