"""The questions of a turn one by one, where it has several: each is answered from the passages that it found itself."""

from __future__ import annotations

from collections.abc import Sequence

from footnote.types import Hit, Query, Turn, Verdict
from footnote.types.copies import replace

SMOOTHING = 30
"""Of the ranks: the order of a question's passages is that of Σ 1 / (SMOOTHING + rank) over its lists."""


def turns_of(turn: Turn) -> list[Turn]:
    """The turn once for each of its questions, with its own hits, in its own order and with its own scores. A question whose lists are
    unknown, or contain none of the hits, keeps all."""
    if len(turn.answered) == 1:
        return [turn]
    return [
        replace(turn, queries=(query,), reading=reading, evidence=replace(turn.evidence, hits=_found_by(turn, query) or turn.evidence.hits))
        for query, reading in zip(turn.answered, turn.reading.parts, strict=True)
    ]


def _found_by(turn: Turn, query: Query) -> tuple[Hit, ...]:
    scores: dict[str, dict[str, float]] = {}
    ranks: dict[str, float] = {}
    for ranking in turn.evidence.lists_for(query.text):
        for rank, entry in enumerate(ranking.items, start=1):
            scores.setdefault(entry.chunk_id, {})[ranking.source] = entry.score
            ranks[entry.chunk_id] = ranks.get(entry.chunk_id, 0.0) + 1 / (SMOOTHING + rank)
    own = [hit for hit in turn.evidence.hits if hit.chunk.chunk_id in ranks]
    own.sort(key=lambda hit: -ranks[hit.chunk.chunk_id])
    return tuple(replace(hit, scores=scores[hit.chunk.chunk_id]) for hit in own)


def decisive(verdicts: Sequence[Verdict]) -> Verdict:
    """The verdict on an answer to several questions: that of the least certain one among those with the best tier, with the missing words
    of all of them."""
    best = next(tier for tier in ("answer", "closest", "nothing") if any(verdict.tier == tier for verdict in verdicts))
    least = min((verdict for verdict in verdicts if verdict.tier == best), key=lambda verdict: verdict.score - verdict.answer_from)
    missing = dict.fromkeys(word for verdict in verdicts for word in verdict.missing)
    return replace(least, missing=tuple(missing))


def shown_question(query: str) -> str:
    """A question as it was asked: without the words of others that complete it, which follow its question mark."""
    question, mark, _ = query.partition("?")
    return f"{question}{mark}" if mark else query
