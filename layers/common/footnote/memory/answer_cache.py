"""What lasts between turns? Answers, for those who may read all that they cite.

An answer is given again only where every passage that it was made from can be read by this caller at this moment:
a deleted, replaced or withdrawn one ends it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

from footnote.events import Event, Token
from footnote.memory.scope import answer_scope, digest
from footnote.memory.similar import asked_in, keep, look_up, place_of
from footnote.ports import Cache, Clock, Embedder, Index
from footnote.prompts import Prompts
from footnote.settings import Settings
from footnote.types import Answer, Chunk, Citation, Hit, Turn


def may_answer_again(turn: Turn) -> bool:
    """The question came without a file, and is no test."""
    return not turn.request.is_test and not turn.request.attached


async def find_answer(
    turn: Turn,
    *,
    index: Index,
    optional_cache: Cache,
    embedder: Embedder | None,
    prompts: Prompts,
    settings: Settings,
    clock: Clock,
) -> AsyncIterator[Event | Turn]:
    """Settles the turn where the answer is there; else its place is noted, to be filled. The place names the collection's
    version as it is before the search: what changes while an answer is made leaves it where nobody looks."""
    caching = settings.cache
    view = await index.view(turn.caller, turn.request.collection)
    asked = asked_in(turn, embedder)
    place = place_of(digest(answer_scope(turn, view, settings, prompts)), asked, caching)
    found = await look_up(optional_cache, place, asked, caching, clock())
    if found is not None:
        chunks = {chunk.chunk_id: chunk for chunk in await index.read(turn.caller, [hit[0] for hit in found.value["hits"]])}
        if len(chunks) == len(found.value["hits"]):
            answer, hits = _restored(found.value, chunks)
            told = {"hit": True, "age_s": round(found.age_s, 1), "similarity": round(found.similarity, 3)}
            yield Token(answer.text)
            evidence = replace(turn.evidence, hits=hits)
            turn = turn.with_notes(answer_cache={**told, "saved_tokens": found.value["tokens"]})
            yield replace(turn, outcome="cached", answer=answer, evidence=evidence)
            return
        await optional_cache.delete(place)
    record = replace(turn.record, answer_cache_key=(place, turn.record.usage.total_tokens))
    yield replace(turn, record=record).with_notes(answer_cache={"hit": False})


async def keep_answer(turn: Turn, *, optional_cache: Cache, embedder: Embedder | None, clock: Clock) -> Turn:
    """Only whole answers without a doubt, from what the index found when all vectors were there."""
    whole = not (turn.record.degraded or turn.evidence.vectors_pending)
    if turn.record.answer_cache_key and turn.answer and turn.evidence.ranked and whole and not turn.answer.warnings and not turn.answer.cut:
        place, spent = turn.record.answer_cache_key
        value = _kept(turn.answer, turn.evidence.hits, turn.record.usage.total_tokens - spent)
        await keep(optional_cache, place, asked_in(turn, embedder), value, turn.profile.answer_cache_s, clock())
    return turn


def _kept(answer: Answer, hits: tuple[Hit, ...], tokens: int) -> dict[str, Any]:
    """Citations name their hit by its place in the list."""
    places = {hit.chunk.chunk_id: place for place, hit in enumerate(hits)}
    return {
        "text": answer.text,
        "extractive": answer.extractive,
        "model": answer.model,
        "tokens": tokens,
        "hits": [(hit.chunk.chunk_id, hit.score, hit.scores) for hit in hits],
        "citations": [(c.number, places[c.hit.chunk.chunk_id], c.snippet, c.page, c.bounds, c.spans) for c in answer.citations],
    }


def _restored(value: dict[str, Any], chunks: dict[str, Chunk]) -> tuple[Answer, tuple[Hit, ...]]:
    hits = tuple(Hit(chunks[chunk_id], score, scores) for chunk_id, score, scores in value["hits"])
    citations = tuple(
        Citation(number, hits[place], snippet, page, _pairs(bounds), _pairs(spans))
        for number, place, snippet, page, bounds, spans in value["citations"]
    )
    return Answer(value["text"], citations, value["extractive"], value["model"]), hits


def _pairs(lists: list[list[int]]) -> tuple[tuple[int, int], ...]:
    return tuple((start, end) for start, end in lists)
