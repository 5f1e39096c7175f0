"""Drops passages that have little to do with the question, before an answer is written from them. Without a language model.

The relevance of a passage is `verdict.relatedness`: a probability, so one threshold fits every collection and language. The LEAST best
passages stay, as many as an API without this check shows: if question and answer share no words, relevance is no better than the rank
(`python -m bench.prompts`). A threshold in the request is always applied."""

from __future__ import annotations

from footnote.answer.extract import read_sentences
from footnote.answer.sub_questions import turns_of
from footnote.answer.verdict import relatedness
from footnote.ports import Embedder, Index
from footnote.settings import Rag
from footnote.types import EXTERNAL_IDS, Hit, Turn
from footnote.types.copies import replace

LEAST = 5


async def verify_passages(turn: Turn, *, index: Index, embedder: Embedder | None, rag: Rag) -> Turn:
    """Keeps the first LEAST hits and those with a relevance of at least `rag.similarity_threshold`; if the request has a threshold, only
    those that reach it. Notes the relevance as the score `relevance`, the highest one if there are several questions. Hits of external
    systems are kept: their scores are not comparable."""
    hits = turn.evidence.hits
    reached: dict[str, float] = {}
    for one in turns_of(turn):
        question, sentences = await read_sentences(one, index, embedder, passages=len(hits))
        for chunk_id, relevance in relatedness(question, sentences, one.evidence.hits, turn.embedder).items():
            reached[chunk_id] = max(relevance, reached.get(chunk_id, 0.0))
    least = rag.similarity_threshold if turn.request.threshold is None else turn.request.threshold
    always = LEAST if turn.request.threshold is None else 0
    kept: list[Hit] = []
    for at, hit in enumerate(hits):
        if hit.chunk.chunk_id.startswith(EXTERNAL_IDS):
            kept.append(hit)
            continue
        related = reached.get(hit.chunk.chunk_id, 0.0)
        if related >= least or at < always:
            kept.append(replace(hit, scores={**hit.scores, "relevance": round(related, 4)}))
    return replace(turn, evidence=replace(turn.evidence, hits=tuple(kept)))
