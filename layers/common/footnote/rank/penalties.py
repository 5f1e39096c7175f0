"""Demotes passages that seldom answer: glossaries, lists of references, tables of contents, image credits. The type of a passage was
decided when its document was read (`text.content_types`)."""

from __future__ import annotations

from collections.abc import Mapping

from footnote.types import ContentType, Hit, Turn
from footnote.types.copies import replace

PENALTIES: Mapping[ContentType, float] = {"reference": 0.3, "contents": 0.5, "credits": 0.4}
"""The share of its score that a passage loses."""


async def penalise(turn: Turn) -> Turn:
    """Lowers the scores of such passages of the pool and orders it again; notes their number as `penalised`. A glossary keeps its
    score where something is to be defined."""
    spared: set[ContentType] = {"reference"} if turn.reading.asked_type == "definition" else set()
    pool = [_penalised(hit, spared) for hit in turn.evidence.pool]
    count = sum(after is not before for after, before in zip(pool, turn.evidence.pool, strict=True))
    if not count:
        return turn
    pool.sort(key=lambda hit: -hit.score)  # stable: equal scores stay in their order
    return replace(turn.with_notes(penalised=count), evidence=replace(turn.evidence, pool=tuple(pool)))


def _penalised(hit: Hit, spared: set[ContentType]) -> Hit:
    kind = hit.chunk.content_type
    return replace(hit, score=hit.score * (1 - PENALTIES[kind])) if kind in PENALTIES and kind not in spared else hit
