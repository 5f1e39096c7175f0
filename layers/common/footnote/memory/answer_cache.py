"""The answer cache.

A cached answer is reused only if this caller can still read every passage that it was written from. A passage that was deleted,
replaced or withdrawn invalidates it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import asdict
from typing import Any

from footnote.events import Event, Token
from footnote.memory.scope import answer_scope, digest
from footnote.memory.similar import answer_query, cache_key, keep, look_up
from footnote.ports import Cache, Clock, Embedder, Index, Records
from footnote.prompts import Prompts
from footnote.settings import Settings
from footnote.turn_records.make import stored_claims
from footnote.turn_records.restore import restored_claims, restored_quotes
from footnote.types import Answer, Chunk, Citation, Hit, Turn, Verdict
from footnote.types.copies import replace


def may_use_answer_cache(turn: Turn) -> bool:
    """The question has no attached file, is not a test, is not about the last answer, and it is known how to read it."""
    talk = turn.conversation
    return not (turn.request.is_test or turn.request.attached or talk.is_asked_about or talk.other_reading)


async def find_answer(
    turn: Turn,
    *,
    index: Index,
    optional_cache: Cache,
    embedder: Embedder | None,
    prompts: Prompts,
    settings: Settings,
    clock: Clock,
    records: Records,
) -> AsyncIterator[Event | Turn]:
    """Settles the turn if the answer is cached; otherwise notes its cache key. The key contains the collection's version from before
    the search, so an answer that a change has overtaken is never found."""
    caching = settings.cache
    view = await index.view(turn.caller, turn.request.collection)
    asked = answer_query(turn, embedder)
    weights = await records.changes("weights") if turn.plan.wants("feedback_weights") else 0
    key = cache_key(digest(answer_scope(turn, view, settings, prompts, weights)), asked, caching)
    found = await look_up(optional_cache, key, asked, caching, clock())
    if found is not None:
        chunks = {chunk.chunk_id: chunk for chunk in await index.read(turn.caller, [hit[0] for hit in found.value["hits"]])}
        if len(chunks) == len(found.value["hits"]):
            answer, hits = _restored(found.value, chunks)
            note = {"hit": True, "age_s": round(found.age_s, 1), "similarity": round(found.similarity, 3)}
            yield Token(answer.text)
            evidence = replace(turn.evidence, hits=hits)
            turn = turn.with_notes(answer_cache={**note, "saved_tokens": found.value["tokens"]})
            trace = replace(turn.trace, suggested_questions=tuple(found.value.get("questions", ())))
            yield replace(turn, outcome="cached", answer=answer, evidence=evidence, trace=trace)
            return
        await optional_cache.delete(key)
    trace = replace(turn.trace, answer_cache_key=(key, turn.trace.usage.total_tokens))
    yield replace(turn, trace=trace).with_notes(answer_cache={"hit": False})


async def keep_answer(turn: Turn, *, optional_cache: Cache, embedder: Embedder | None, settings: Settings, clock: Clock) -> Turn:
    """Caches the answer if it is complete, has no warnings and comes from a search of the index with all vectors present. One that
    the reader's feedback has shaped is theirs alone."""
    whole = not (turn.trace.degraded or turn.evidence.vectors_pending or turn.evidence.hints)
    if turn.trace.answer_cache_key and turn.answer and turn.evidence.ranked and whole and not turn.answer.warnings and not turn.answer.cut:
        key, spent = turn.trace.answer_cache_key
        value = _kept(turn.answer, turn.evidence.sources, turn.trace.usage.total_tokens - spent)
        value["questions"] = list(turn.trace.suggested_questions)
        ttl_s = settings.cache.answer_ttl_s(turn.profile.answer_cache_s)
        await keep(optional_cache, key, answer_query(turn, embedder), value, ttl_s, clock())
    return turn


def _kept(answer: Answer, hits: tuple[Hit, ...], tokens: int) -> dict[str, Any]:
    """The cached form; citations refer to their hit by its position in the list."""
    positions = {hit.chunk.chunk_id: position for position, hit in enumerate(hits)}
    return {
        "text": answer.text,
        "extractive": answer.extractive,
        "model": answer.model,
        "verdict": asdict(answer.verdict) if answer.verdict else None,
        "tokens": tokens,
        "labels": {hit.chunk.doc_id: hit.chunk.file_label for hit in hits if hit.chunk.file_label},
        "hits": [(hit.chunk.chunk_id, hit.score, hit.scores) for hit in hits],
        "citations": [
            (
                c.number,
                positions[c.hit.chunk.chunk_id],
                c.snippet,
                c.page,
                c.bounds,
                c.spans,
                c.is_added,
                [q and asdict(q) for q in c.quotes],
            )
            for c in answer.citations
        ],
        "claims": stored_claims(answer),
    }


def _restored(value: dict[str, Any], chunks: dict[str, Chunk]) -> tuple[Answer, tuple[Hit, ...]]:
    labels = value.get("labels", {})
    labelled = {chunk_id: replace(chunk, file_label=labels.get(chunk.doc_id, "")) for chunk_id, chunk in chunks.items()}
    hits = tuple(Hit(labelled[chunk_id], score, scores) for chunk_id, score, scores in value["hits"])
    citations = tuple(
        Citation(number, hits[position], snippet, page, _pairs(bounds), _pairs(spans), more[:1] == [True], restored_quotes(*more[1:]))
        for number, position, snippet, page, bounds, spans, *more in value["citations"]  # earlier versions did not keep the last two
    )
    kept: dict[str, Any] | None = value["verdict"]
    is_whole = kept is not None and "reasons" in kept  # that of an earlier version has other scores
    verdict = Verdict(**kept | {name: tuple(kept[name]) for name in ("missing", "reasons")}) if kept and is_whole else None
    claims = restored_claims(value.get("claims", ()), citations)
    return Answer(value["text"], citations, value["extractive"], value["model"], verdict=verdict, claims=claims), hits


def _pairs(lists: list[list[int]]) -> tuple[tuple[int, int], ...]:
    return tuple((start, end) for start, end in lists)
