"""An index that contains the sentences of given hits, as ingest would store them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from footnote.answer.extract import read_sentences
from footnote.answer.score_sentences import Question, Scored
from footnote.text.sentence_terms import read_terms, sentence_terms
from footnote.text.sentences import split_sentences
from footnote.types import Caller, Chunk, ChunkSentences, Hit
from tests.turns import ME, make_turn


def sentences_of(chunk: Chunk, vectors: Any = None, passage: Any = None) -> ChunkSentences:
    bounds = tuple(split_sentences(chunk.text, chunk.lang))
    terms, above = read_terms(sentence_terms(chunk, bounds))
    return ChunkSentences(bounds, vectors, passage, terms, above)


class Stored:
    """Every term weighs 1 unless set otherwise, an unknown one 0. `vectors`, `passage`: of every hit."""

    def __init__(self, *hits: Hit, vectors: Any = None, passage: Any = None, weights: dict[str, float] | None = None) -> None:
        self._chunks = {hit.chunk.chunk_id: hit.chunk for hit in hits}
        self._vectors = vectors, passage
        self._weights = {"": 0.0, **(weights or {})}

    async def read(self, caller: Caller, chunk_ids: Sequence[str]) -> list[Chunk]:
        assert caller == ME
        return [self._chunks[chunk_id] for chunk_id in chunk_ids if chunk_id in self._chunks]

    async def sentences(self, caller: Caller, chunk_ids: Sequence[str], embedder: str) -> dict[str, ChunkSentences]:
        assert caller == ME
        return {chunk_id: sentences_of(self._chunks[chunk_id], *self._vectors) for chunk_id in chunk_ids if chunk_id in self._chunks}

    async def term_weights(self, caller: Caller, collection: str, terms: Sequence[str]) -> dict[str, float]:
        return {term: self._weights.get(term, 1.0) for term in terms}


async def score(question: str, *hits: Hit, lang: str = "en", vector: Any = None, **index: Any) -> tuple[Question, list[Scored]]:
    """The scored sentences of the hits."""
    turn = make_turn(question, lang=lang, hits=hits, vectors=() if vector is None else (vector,))
    return await read_sentences(turn, Stored(*hits, **index))  # type: ignore[arg-type]
