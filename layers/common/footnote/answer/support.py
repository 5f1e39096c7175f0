"""Estimates for each sentence of a model's answer how likely the passages support it, and where. Without a language model.

`claims.json` contains a logistic regression over `claim_features` for each regime: the vectors of the built-in embedder, words alone, and
its vectors for passages in another language than the answer. It is fitted on claims judged by people (`bench.claims`). Most claims repeat
the words of a passage so closely that vectors do not doubt them; these are not embedded, which takes 7 ms for each. A sentence with
a marker is compared with the passages that it cites, and if these do not support it, or it has none, with all passages shown to the model.
A lead-in, a question, a heading and a sentence without words of its own (“Yes.”) make no claim. A configured verifier judges the same
passages, and its verdict replaces the probability."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, Literal

from footnote.answer.claim_features import COLUMNS, Source, describe, source_of
from footnote.answer.linear import Linear, linear_of, read_fitted
from footnote.errors import FootnoteError
from footnote.ports import CrossLingualEmbedder, Embedder, Index, Statement, Verifier
from footnote.text.code_spans import prose_spans
from footnote.text.embedded_texts import passage_of
from footnote.text.grounding import UNSEEN, covered_share
from footnote.text.message_kinds import EMBEDDER
from footnote.text.particulars import names_in
from footnote.text.sentences import split_sentences
from footnote.text.tokens import content_terms
from footnote.text.values import values_in
from footnote.types import Answer, Chunk, ChunkSentences, Claim, EvidenceSpan, Hit, Turn, Vector
from footnote.types.copies import replace

FITTED = Path(__file__).with_name("claims.json")
Regime = Literal["built-in", "words", "other language"]
COMPARED = 4
"""Number of passages that a claim is compared with: those with most of its terms."""
LEAST_TERMS = 3
"""Terms of a sentence for which a passage is cited that the model did not cite: fewer are soon found somewhere."""
EMBED_S = 3.0
"""Longest wait for the vectors of claims; then words decide."""
MOST_CLAIMS = 60
"""Sentences of an answer that are checked."""
BEFORE = re.compile(r"[\s*#>•–-]*(?:\d{1,3}[.)]\s)?[\s*]*(?:(?:no|nein|아니요|아니오|아뇨)(?:[,.:;!]|\s+[-–—])\s*)?", re.IGNORECASE)
"""Text before a claim: a list mark, and a “no”, which answers the question and does not negate the passages."""


@dataclass(frozen=True, slots=True)
class Supported:
    """How likely passages support a claim; None = it cannot be compared with them. `place`: the sentences that do so best.
    `compared`: the passages."""

    probability: float | None
    is_doubted: bool = False
    is_found: bool = False
    """So likely that the passage may be cited for it."""
    is_sure: bool = False
    """So likely by words alone that vectors would not doubt it."""
    place: EvidenceSpan | None = None
    compared: tuple[Chunk, ...] = ()


@cache
def _fitted() -> dict[str, Any]:
    return read_fitted(FITTED, COLUMNS)


@cache
def _model(regime: Regime) -> tuple[Linear, float, float, float]:
    """(the regression, the probability below which a claim is doubted, that from which its passage may be cited, that above which words
    are sure of it)."""
    fitted = _fitted()[regime]
    return linear_of(fitted, list(COLUMNS)), float(fitted["doubted_below"]), float(fitted["found_from"]), fitted.get("sure_above", 1.0)


class Passages:
    """Passages that claims of one answer are compared with."""

    def __init__(self, sentences: Mapping[str, ChunkSentences], weights: Mapping[str, float], question: str, lang: str) -> None:
        """`sentences`: chunk id → its sentences in the index; `weights`: term → rarity; `lang`: of the claims."""
        self._known = sentences
        self._weights = weights
        self._question = question
        self._lang = lang
        self._sources: dict[str, Source] = {}

    def support(self, claim: str, chunks: Sequence[Chunk], vector: Vector | None = None, across: Vector | None = None) -> Supported:
        """The support of a claim by these passages. `across`: its vector without the component of its language; the vectors are None
        without an embedder."""
        own = [chunk for chunk in chunks if chunk.lang == self._lang]
        if not own:
            return self._best("other language", claim, chunks, across)
        return self._best("words" if vector is None else "built-in", claim, own, vector)

    def _best(self, regime: Regime, claim: str, chunks: Sequence[Chunk], vector: Vector | None) -> Supported:
        import numpy as np

        compared = tuple(nearest_by_words(claim, self._lang, chunks, self._weights, self._terms))
        if regime == "other language" and vector is None:
            return Supported(None, compared=compared)
        near = [self._source(chunk) for chunk in compared]
        if vector is not None and any(source.vectors is None for source in near):
            if regime == "other language":
                return Supported(None, compared=compared)
            regime, vector = "words", None
        row, place = describe(claim, self._lang, vector, near, self._weights, self._question)
        model, doubted_below, found_from, sure_above = _model(regime)
        probability = round(float(model.probability(np.array(row, np.float32))), 3)
        return Supported(probability, probability < doubted_below, probability >= found_from, probability > sure_above, place, compared)

    def _terms(self, chunk: Chunk) -> frozenset[str]:
        return frozenset(chain.from_iterable(self._source(chunk).terms))

    def _source(self, chunk: Chunk) -> Source:
        source = self._sources.get(chunk.chunk_id)
        if source is None:
            source = self._sources[chunk.chunk_id] = source_of(chunk, self._known.get(chunk.chunk_id))
        return source


def terms_of(chunk: Chunk) -> frozenset[str]:
    """The content terms of a passage's text."""
    return frozenset(content_terms(chunk.text, chunk.lang))


def nearest_by_words(
    claim: str,
    lang: str,
    chunks: Sequence[Chunk],
    weights: Mapping[str, float],
    terms_of: Callable[[Chunk], frozenset[str]] = terms_of,
) -> list[Chunk]:
    """The COMPARED passages with most of the claim's terms, in their order."""
    if len(chunks) <= COMPARED:
        return list(chunks)
    terms = frozenset(content_terms(claim, lang))
    shares = [covered_share(terms, terms_of(chunk), weights) for chunk in chunks]
    return [chunks[at] for at in sorted(sorted(range(len(chunks)), key=lambda at: -shares[at])[:COMPARED])]


async def check_claims(
    turn: Turn, answer: Answer, index: Index, embedder: Embedder | None, verifier: Verifier | None
) -> tuple[Turn, tuple[Claim, ...]]:
    """(the turn, the sentences of a model's answer that make claims, with their support). If there is a verifier, its verdicts replace
    those of the fitted model. If it fails, the turn is degraded; the number of its verdicts is noted as `verified`."""
    text, lang, shown = answer.unmarked, turn.lang, turn.evidence.citable
    bounds = list(claim_bounds(text, lang))[:MOST_CLAIMS]
    if not bounds or not shown:
        return turn, ()
    claims = [claim_of(text, sentence) for sentence in bounds]
    chunks = [hit.chunk for hit in shown]
    terms = [term for claim in claims for term in content_terms(claim, lang)]
    weights = await index.term_weights(turn.caller, turn.request.collection, [*terms, UNSEEN])
    model = usable(embedder)
    sentences = await index.sentences(turn.caller, [chunk.chunk_id for chunk in chunks], model.name if model else "")
    passages = Passages(sentences, weights, f"{turn.request.question} {turn.asked}", lang)
    supported: list[Supported] = []
    statements: list[Statement] = []
    sources = [cited_between(answer, start, end) for start, end in pairwise([*(start for start, _ in bounds), len(text) + 1])]
    first = [[hit.chunk for hit in cited] or chunks for cited in sources]
    by_words = [passages.support(claim, compared) for claim, compared in zip(claims, first, strict=True)]
    vectors = await claim_vectors([claim for claim, support in zip(claims, by_words, strict=True) if not support.is_sure], model)
    for at, (claim, support) in enumerate(zip(claims, by_words, strict=True)):
        pair = None if support.is_sure else next(vectors, None)
        if pair is not None:
            support = passages.support(claim, first[at], *pair)
        compared = support.compared
        if sources[at] and (support.probability is None or support.is_doubted):
            elsewhere = passages.support(claim, chunks, *(pair or ()))
            compared += elsewhere.compared
            support = elsewhere if support.probability is None or elsewhere.is_found else support
        supported.append(support)
        statements.append(statement_of(claim, bounds[at], compared))
    verdicts = await verdicts_of(verifier, turn.asked, text, statements)
    if verifier is not None:
        turn = turn.with_notes(verified=sum(verdict is not None for verdict in verdicts or ()))
        turn = turn if verdicts is not None else replace(turn, trace=replace(turn.trace, degraded=True))
    checked: list[Claim] = []
    for at, (support, claim, cited) in enumerate(zip(supported, claims, sources, strict=True)):
        support = with_verdict(support, verdicts[at] if verdicts else None)
        place = support.place if cited or (support.is_found and len(set(content_terms(claim, lang))) >= LEAST_TERMS) else None
        checked.append(Claim(*bounds[at], support.probability, support.is_doubted, place))
    return turn, tuple(checked)


def statement_of(claim: str, bounds: tuple[int, int], compared: Sequence[Chunk]) -> Statement:
    """The claim for a verifier, with these passages below their titles and headings. `bounds`: of its sentence in the answer."""
    texts = dict.fromkeys(passage_of(chunk.title, chunk.headings, chunk.text, ()).text for chunk in compared)
    return Statement(claim, *bounds, tuple(texts))


async def verdicts_of(verifier: Verifier | None, question: str, text: str, statements: Sequence[Statement]) -> Sequence[bool | None] | None:
    """The verifier's verdict on each claim of a text; None without one or without passages, or while it fails."""
    if verifier is None or not any(statement.passages for statement in statements):
        return None
    try:
        return await verifier.verify(question, text, statements)
    except FootnoteError:
        return None


def with_verdict(supported: Supported, verdict: bool | None) -> Supported:
    """The support according to a verifier's verdict; None = it could not decide, and the fitted model's value stays."""
    return supported if verdict is None else replace(supported, probability=float(verdict), is_doubted=not verdict, is_found=verdict)


def groundedness(claims: Sequence[Claim]) -> float | None:
    """Of the claims that could be checked the share that is not doubted; a doubted one counts by its support. None without one."""
    checked = [claim for claim in claims if claim.support is not None]
    return round(sum(claim.support or 0.0 if claim.is_doubted else 1.0 for claim in checked) / len(checked), 3) if checked else None


def usable(embedder: Embedder | None) -> Embedder | None:
    """The embedder, if it is the built-in one: the model knows no other's cosines."""
    return embedder if embedder is not None and embedder.name.startswith(EMBEDDER) else None


def claim_of(text: str, bounds: tuple[int, int]) -> str:
    """The sentence without the text before its claim."""
    start, end = bounds
    mark = BEFORE.match(text, start, end)
    return text[mark.end() if mark else start : end].rstrip()


def claim_bounds(text: str, lang: str) -> Iterator[tuple[int, int]]:
    """The places of the sentences that claim something."""
    prose = list(prose_spans(text))
    for start, end in split_sentences(text, lang):
        if claims_something(text[start:end], lang) and any(first <= start < last for first, last in prose):
            yield start, end


def claims_something(sentence: str, lang: str) -> bool:
    """Whether a sentence is more than a lead-in, a question, a heading or a “yes”."""
    said = sentence.strip(" \t\n*_")
    if said.startswith("#") or said.endswith((":", "：", "?", "？")):
        return False
    claim = claim_of(said, (0, len(said)))
    return len(set(content_terms(claim, lang))) > 1 or bool(values_in(claim, lang) or names_in(claim, lang))


def cited_between(answer: Answer, start: int, following: int) -> list[Hit]:
    """The passages that a sentence cites: those of the markers from its start to the next sentence; in a text without markers, all."""
    marked = any(citation.spans for citation in answer.citations)
    return [citation.hit for citation in answer.citations if not marked or any(start <= at < following for at, _ in citation.spans)]


async def claim_vectors(claims: Sequence[str], embedder: Embedder | None) -> Iterator[tuple[Vector, Vector]]:
    """For each claim (its vector, the same without the component of its language); none without the built-in embedder, or while it
    fails."""
    if not claims or embedder is None or not isinstance(embedder, CrossLingualEmbedder):
        return iter(())
    try:
        async with asyncio.timeout(EMBED_S):
            vectors = await embedder.embed(claims)
    except (TimeoutError, FootnoteError):
        return iter(())
    return zip(vectors, embedder.across_languages(vectors), strict=True)
