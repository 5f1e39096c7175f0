"""`semantic`: passages end where the subject changes, that is, where the vectors of neighbouring sentences differ most.

Headings stay boundaries, and lists, tables and code are not cut for it. A passage that is still too long is cut as by `structure`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace

from footnote.ingest.chunk.passages import Cutting, Passage, Position, Section
from footnote.ingest.chunk.structure import pack
from footnote.ingest.pieces import Piece, between
from footnote.ports import Embedder
from footnote.text.sentences import split_sentences
from footnote.types import Matrix

PERCENTILE = 90
"""A passage ends at the differences above this percentile of all differences in its document."""
AROUND = 2
"""Sentences on each side of a boundary that are compared."""
READ = 1000
"""Characters of a sentence, list or table that are embedded."""
MOST_SENTENCES = 5000
"""In a longer document nothing is compared: its vectors would take longer than a worker may hold a document."""
AT_ONCE = 256


def by_meaning(sections: Sequence[Section], cutting: Cutting) -> list[Passage]:
    """Passages that end at `cutting.breaks`."""
    return pack([part for section in sections for part in _split(section, cutting)], cutting.max_tokens, cutting.lang, tiny=0)


async def find_breaks(sections: Sequence[Section], embedder: Embedder, lang: str) -> frozenset[Position] | None:
    """Where the subject changes; None for a document of more than MOST_SENTENCES. Raises what the embedder raises."""
    units = await asyncio.to_thread(lambda: [list(_units(section, lang)) for section in sections])
    texts = [text for section in units for _, text in section]
    if len(texts) > MOST_SENTENCES:
        return None
    if len(texts) < 2:
        return frozenset()
    import numpy as np

    vectors = np.concatenate([await embedder.embed(texts[at : at + AT_ONCE]) for at in range(0, len(texts), AT_ONCE)])
    differences: list[float] = []
    peaks: list[tuple[float, Position]] = []
    at = 0
    for section in units:
        made = _differences(vectors[at : at + len(section)])
        # Next to a change, the windows overlap it, and the difference is large, too.
        highest = (max(made[max(0, i - 1) : i + 2]) == difference for i, difference in enumerate(made))
        peaks += [(difference, position) for difference, is_peak, (position, _) in zip(made, highest, section[1:], strict=True) if is_peak]
        differences += made
        at += len(section)
    if not differences:
        return frozenset()
    least = float(np.percentile(differences, PERCENTILE))
    return frozenset(position for difference, position in peaks if difference >= least)


def _differences(vectors: Matrix) -> list[float]:
    """1 − cosine of the sentences before and after each boundary."""
    import numpy as np

    found = []
    for at in range(1, len(vectors)):
        before, after = vectors[max(0, at - AROUND) : at].sum(axis=0), vectors[at : at + AROUND].sum(axis=0)
        found.append(round(1 - float(before @ after) / (float(np.linalg.norm(before) * np.linalg.norm(after)) or 1.0), 6))
    return found


def _units(section: Section, lang: str) -> Iterator[tuple[Position, str]]:
    """What is compared: sentences of paragraphs, and whole lists, tables and captions."""
    for piece in section.pieces:
        if piece.kind == "paragraph":
            yield from (
                ((piece.block, start), piece.text[start : min(end, start + READ)]) for start, end in split_sentences(piece.text, lang)
            )
        elif piece.kind != "heading":
            yield (piece.block, 0), piece.text[:READ]


def _split(section: Section, cutting: Cutting) -> Iterator[Section]:
    """The section's parts, each of which begins at a break. What leads in to the text after it stays with that."""
    pieces: list[Piece] = []
    for whole in section.pieces:
        for piece in _cut(whole, cutting):
            if (piece.block, piece.start) in cutting.breaks and pieces and not pieces[-1].keep_with_next:
                yield Section(section.path, tuple(pieces))
                pieces = []
            pieces.append(piece)
    if pieces:
        yield Section(section.path, tuple(pieces))


def _cut(piece: Piece, cutting: Cutting) -> list[Piece]:
    """The parts of a paragraph between its breaks."""
    starts = sorted(start for block, start in cutting.breaks if block == piece.block and start) if piece.kind == "paragraph" else []
    if not starts:
        return [piece]
    bounds = [
        (start, start + len(piece.text[start:end].rstrip())) for start, end in zip([0, *starts], [*starts, len(piece.text)], strict=True)
    ]
    made = list(between(piece, bounds))
    return [*(replace(part, keep_with_next=False) for part in made[:-1]), made[-1]]
