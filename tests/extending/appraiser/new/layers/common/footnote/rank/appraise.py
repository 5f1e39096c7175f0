"""Which evidence is best? Asked of somebody who reads question and passage together."""

from __future__ import annotations

from dataclasses import replace

from footnote.ports.appraiser import Appraiser
from footnote.settings.appraisal import Appraisal
from footnote.types import Turn


async def appraise_pool(turn: Turn, *, appraiser: Appraiser | None, appraisal: Appraisal) -> Turn:
    """`turn.evidence.pool` by the appraiser's scores; those below `appraisal.least` are left out."""
    if appraiser is None:
        return turn
    pool = turn.evidence.pool
    scores = await appraiser.score(turn.asked, [hit.chunk.text for hit in pool])
    ranked = [replace(hit, score=score, scores={**hit.scores, "appraise": score}) for hit, score in zip(pool, scores, strict=True)]
    best = sorted((hit for hit in ranked if hit.score >= appraisal.least), key=lambda hit: hit.score, reverse=True)
    return replace(turn, evidence=replace(turn.evidence, pool=tuple(best)))
