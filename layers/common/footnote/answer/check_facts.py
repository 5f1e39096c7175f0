"""Checks any text against given facts, as `support` checks a model's answer against passages."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from footnote.answer.support import (
    Passages,
    claim_bounds,
    claim_of,
    claim_vectors,
    nearest_by_words,
    statement_of,
    usable,
    verdicts_of,
    with_verdict,
)
from footnote.errors import FootnoteError
from footnote.ports import SMALL_COLLECTION, Embedder, Verifier
from footnote.text.embedded_texts import passage_of, passage_vectors, quantise
from footnote.text.grounding import UNSEEN
from footnote.text.language import LANGUAGES, detect_language
from footnote.text.sentences import split_sentences
from footnote.text.tokens import content_terms
from footnote.types import Chunk, ChunkSentences


@dataclass(frozen=True, slots=True)
class CheckedText:
    """A sentence of the text. `support`: the probability that the facts support it, None = it makes no claim, or cannot be compared;
    `facts`: the numbers of the supporting ones, from 0, best first."""

    start: int
    end: int
    support: float | None = None
    facts: tuple[int, ...] = ()


async def check_facts(
    text: str, facts: Sequence[str], embedder: Embedder | None, verifier: Verifier | None, threshold: float | None = None
) -> list[CheckedText]:
    """All sentences of the text. A fact supports a sentence from a probability of `threshold`, by default the one for citations. A
    verifier's verdicts replace the probabilities: a rejected sentence has no supporting fact, an accepted one at least one."""
    lang = detect_language(text, LANGUAGES)
    chunks = [Chunk(str(at), "", 0, at, 2, "", fact, detect_language(fact, LANGUAGES), "") for at, fact in enumerate(facts)]
    frequencies = Counter(term for chunk in chunks for term in set(content_terms(chunk.text, chunk.lang)))
    count = len(chunks) + SMALL_COLLECTION
    weights = {
        term: math.log(1 + (count - frequencies[term] + 0.5) / (frequencies[term] + 0.5)) for term in {*content_terms(text, lang), UNSEEN}
    }
    every = list(split_sentences(text, lang))
    claiming = set(claim_bounds(text, lang))
    claims = {bounds: claim_of(text, bounds) for bounds in every if bounds in claiming}
    model = usable(embedder)
    near = {chunk.chunk_id: chunk for claim in claims.values() for chunk in nearest_by_words(claim, lang, chunks, weights)}
    sentences = await _sentences([*near.values()], model)
    passages = Passages(sentences, weights, "", lang)
    given: Sequence[tuple[Any, ...]] = [*await claim_vectors([*claims.values()], model)] or [()] * len(claims)
    supported = [passages.support(claim, chunks, *pair) for claim, pair in zip(claims.values(), given, strict=True)]
    statements = [statement_of(claim, bounds, support.compared) for (bounds, claim), support in zip(claims.items(), supported, strict=True)]
    verdicts = await verdicts_of(verifier, "", text, statements) or [None] * len(claims)
    checked: dict[tuple[int, int], CheckedText] = {}
    for (bounds, claim), pair, support, verdict in zip(claims.items(), given, supported, verdicts, strict=True):
        alone = [(chunk, passages.support(claim, [chunk], *pair)) for chunk in support.compared]
        alone.sort(key=lambda entry: -(entry[1].probability or 0.0))
        supporting = [chunk for chunk, one in alone if (one.is_found if threshold is None else (one.probability or 0.0) >= threshold)]
        if verdict is not None:
            supporting = (supporting or [chunk for chunk, _ in alone[:1]]) if verdict else []
        checked[bounds] = CheckedText(
            *bounds, with_verdict(support, verdict).probability, tuple(int(chunk.chunk_id) for chunk in supporting)
        )
    return [checked.get(bounds) or CheckedText(*bounds) for bounds in every]


async def _sentences(chunks: Sequence[Chunk], embedder: Embedder | None) -> dict[str, ChunkSentences]:
    """Chunk id → its sentences with their vectors; {} without an embedder, or while it fails."""
    if embedder is None:
        return {}
    bounds = [tuple(split_sentences(chunk.text, chunk.lang)) for chunk in chunks]
    try:
        vectors = await passage_vectors(
            embedder, [passage_of("", (), chunk.text, chunk_bounds) for chunk, chunk_bounds in zip(chunks, bounds, strict=True)]
        )
    except FootnoteError:
        return {}
    return {
        chunk.chunk_id: ChunkSentences(chunk_bounds, quantise(rows[1:]), rows[0])
        for chunk, chunk_bounds, rows in zip(chunks, bounds, vectors, strict=True)
    }
