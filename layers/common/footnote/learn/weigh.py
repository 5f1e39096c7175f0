"""Learns the weights of each collection from its feedback, once an hour, and orders passages by them.

Record: "weights" `<stored name of the collection>`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import suppress

from footnote.collections import Collections
from footnote.errors import Conflict, NotFound
from footnote.learn.feedback_weights import LEAST_USERS, Vote, Weights, dump_weights, load_weights, make_weights, vote_of
from footnote.ports import Clock, FeedbackFilter, FeedbackStore, Index, Ledger, Record, Records, read_all
from footnote.text.tokens import content_terms
from footnote.turn_records.days import DAY_S
from footnote.types import Caller, ChunkSentences, Document, Hit, Turn
from footnote.types.copies import replace

DAYS = 90
"""Feedback that is older does not count."""
MOST_RATINGS = 10_000
"""Ratings that are read, the newest."""
PAGE = 200
AT_ONCE = 100
"""Documents that are looked up at the same time."""
LEARNER = Caller("weights", sees_all=True, role="admin")
"""Reads everybody's feedback. `feedback_weights` guarantees that weights leak nothing about unreadable documents."""
SCORE = "feedbackWeight"
"""The key in `Hit.scores` of the factor."""


async def learn_weights(
    *, feedback: FeedbackStore, ledger: Ledger, records: Records, collections: Collections, clock: Clock
) -> dict[str, int]:
    """Computes the weights of all collections again, and stores the changed ones. → stored name: number of weighted documents.

    Always from all feedback of the last DAYS, so a repeated or simultaneous run is harmless, and deleted feedback is forgotten."""
    kept = {record.key: record for record in await read_all(lambda after: records.list("weights", limit=PAGE, after=after))}
    votes = await _read_votes(kept, feedback, collections, clock())
    learned: dict[str, int] = {}
    for stored in sorted({*kept, *votes}):
        mine, record = votes.get(stored, []), kept.get(stored)
        if record is None and len({vote.user_id for vote in mine}) < LEAST_USERS:
            continue
        before = load_weights(record)
        documents = await _read_documents({doc_id for vote in mine for doc_id in vote.documents}, ledger)
        weights = make_weights(mine, documents, before.reset_at)
        if weights != before:
            with suppress(Conflict):  # reset meanwhile, or another process was first
                await records.put("weights", stored, dump_weights(weights), by=LEARNER.user_id, expected=record.version if record else 0)
                learned[stored] = len(weights.documents)
    return learned


async def _read_votes(kept: dict[str, Record], feedback: FeedbackStore, collections: Collections, now: float) -> dict[str, list[Vote]]:
    """Stored name of a collection → the votes on its turns."""
    directory = await collections.directory()
    resets = {stored: load_weights(record).reset_at for stored, record in kept.items()}
    votes: dict[str, list[Vote]] = {}
    after, read = None, 0
    while read < MOST_RATINGS:
        page = await feedback.list(LEARNER, FeedbackFilter(since=now - DAYS * DAY_S), PAGE, after)
        for rated in page.data:
            stored = directory.resolve(rated.record["collection"])
            if rated.feedback.created_at > resets.get(stored, 0.0) and (vote := vote_of(rated)) is not None:
                votes.setdefault(stored, []).append(vote)
        read, after = read + len(page.data), page.last_id
        if not page.has_more:
            break
    return votes


async def _read_documents(doc_ids: Iterable[str], ledger: Ledger) -> dict[str, Document]:
    """The documents that exist."""

    async def get(doc_id: str) -> Document | None:
        try:
            return await ledger.get(LEARNER, doc_id)
        except NotFound:
            return None

    ordered = sorted(doc_ids)
    documents: list[Document | None] = []
    for first in range(0, len(ordered), AT_ONCE):
        documents += await asyncio.gather(*(get(doc_id) for doc_id in ordered[first : first + AT_ONCE]))
    return {document.doc_id: document for document in documents if document is not None}


async def reset_weights(stored: str, *, records: Records, by: str, now: float) -> None:
    """Drops the weights of a collection. Feedback that was given until now does not count any more. NotFound if nothing is learned yet."""
    record = await records.get("weights", stored)
    if record is None:
        raise NotFound("Nothing has been learned from the feedback on this collection yet.")
    await records.put("weights", stored, dump_weights(Weights(reset_at=now)), by=by)


async def weigh(turn: Turn, *, index: Index, records: Records) -> Turn:
    """Multiplies the scores of the pool by the collection's weights and orders it again. Notes `feedback_weights`: {weighted, moved}, the
    numbers of passages with a factor, and of passages that moved."""
    view = await index.view(turn.caller, turn.request.collection)
    record = await records.get("weights", view.stored or turn.request.collection)
    weights = load_weights(record, {hit.chunk.doc_id for hit in turn.evidence.pool})
    if not (weights.documents or weights.fields):
        return turn
    terms = frozenset(content_terms(turn.asked, turn.lang))
    before = turn.evidence.pool
    said = await index.sentences(turn.caller, [hit.chunk.chunk_id for hit in before], turn.embedder) if weights.fields else {}
    factors = [weights.factor(hit.chunk, terms, _terms_of(said.get(hit.chunk.chunk_id))) for hit in before]
    order = sorted(range(len(before)), key=lambda at: -_weighted(before[at].score, factors[at]))  # stable
    pool = tuple(_with_factor(before[at], factors[at]) for at in order)
    note = {"weighted": sum(factor != 1 for factor in factors), "moved": sum(at != place for place, at in enumerate(order))}
    return replace(turn, evidence=replace(turn.evidence, pool=pool)).with_notes(feedback_weights=note)


def _terms_of(sentences: ChunkSentences | None) -> list[str]:
    return " ".join(sentences.terms).split() if sentences is not None else []


def _weighted(score: float, factor: float) -> float:
    """A reranker's scores may be negative: a good document's is then nearer to 0."""
    return score * factor if score >= 0 else score / factor


def _with_factor(hit: Hit, factor: float) -> Hit:
    if factor == 1:
        return hit
    score = _weighted(hit.score, factor)
    score = min(1.0, score) if hit.score <= 1 else score  # the order holds what is above 1
    return replace(hit, score=score, scores={**hit.scores, SCORE: round(factor, 4)})
