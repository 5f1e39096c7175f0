"""`table`: the rows of a table in groups of a few, each with the header; everything else as by `structure`."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from footnote.ingest.chunk.passages import Cutting, Passage, Section
from footnote.ingest.chunk.structure import pack
from footnote.ingest.pieces import Piece, rows_of

ROWS = 10
"""Most rows in a passage."""


def by_rows(sections: Sequence[Section], cutting: Cutting) -> list[Passage]:
    """Passages of at most ROWS rows of a table, and passages of the text between tables. What leads in to a table, such as its caption,
    is in the passage of its first rows."""
    done: list[Passage] = []
    prose: list[Section] = []
    for section in sections:
        pieces: list[Piece] = []
        for piece in section.pieces:
            if piece.kind != "table":
                pieces.append(piece)
                continue
            cut = len(pieces)
            while cut and pieces[cut - 1].keep_with_next:
                cut -= 1
            if pieces[:cut]:
                prose.append(Section(section.path, tuple(pieces[:cut])))
            done += pack(prose, cutting.max_tokens, cutting.lang) + _groups(pieces[cut:], piece, section, cutting)
            prose, pieces = [], []
        if pieces:
            prose.append(Section(section.path, tuple(pieces)))
    return done + pack(prose, cutting.max_tokens, cutting.lang)


def _groups(lead: Sequence[Piece], table: Piece, section: Section, cutting: Cutting) -> list[Passage]:
    rows = rows_of(table, cutting.max_tokens)
    if not rows or not rows[0].opening:  # a single row, or too wide for it
        rows = [table]
    each = ceil(len(rows) / ceil(len(rows) / ROWS))  # equally many, so that the last group is not a single row
    done: list[Passage] = []
    for at in range(0, len(rows), each):
        group = rows[at : at + each] if at else [*lead, *rows[:each]]
        done += pack([Section(section.path, tuple(group))], cutting.max_tokens, cutting.lang)
    return done
