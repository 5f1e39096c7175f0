"""How much an answer can be relied on: relevance × grounding, and how well the cited passages cover the question. Without a model.

    relevance  = the probability that the best excerpt of the first PASSAGES passages answers the question (`verdict`), as an extractive
                 answer has it
    grounding  = share of the answer's sentences that are not doubted (`support`); 1 for quoted ones; 0 without an answer
    score      = relevance × grounding; high from HIGH on, if the context is sufficient, medium from MEDIUM on
    coverage   = Σ weight of the question's terms in the cited passages / Σ weight of all

Of several questions the least relevance counts.
Missing aspects are words of the question that no cited passage has and, unless they are names, few others (COMMON).
A sentence that was found conflicts with a cited one of another document as `conflicting` says.

`python -m bench.confidence` measures it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from footnote.answer.choose import conflicting
from footnote.answer.extract import PASSAGES, read_sentences
from footnote.answer.score_sentences import Question, Scored
from footnote.answer.sub_questions import turns_of
from footnote.answer.support import groundedness
from footnote.answer.verdict import decide_tier
from footnote.ports import Embedder, Index
from footnote.text.grounding import covered_share
from footnote.text.question_kinds import words_of_intent
from footnote.text.tokens import content_terms
from footnote.types import Answer, Confidence, Turn
from footnote.types.copies import replace

SUFFICIENT = 0.5
"""Coverage from which the cited passages suffice, unless they conflict or lack a name or number of the question."""
COMMON = math.log(50)
"""Weight of a word that every 50th passage of the collection has: its absence from a few passages is no evidence."""


def has_citations(turn: Turn) -> bool:
    """The text cites passages."""
    return turn.answer is not None and bool(turn.answer.citations)


async def assess_confidence(turn: Turn, *, index: Index, embedder: Embedder | None) -> Turn:
    """Sets `answer.confidence`, and notes it as `confidence`."""
    answer, hits = turn.answer, turn.evidence.sources
    if answer is None:
        return turn
    whole = replace(turn, evidence=replace(turn.evidence, hits=hits))
    question, sentences = await read_sentences(whole, index, embedder, passages=len(hits))
    if len(turn.answered) == 1 and answer.verdict is not None and answer.verdict.is_judged:
        relevance = answer.verdict.score
    else:
        read = [(one, *await read_sentences(one, index, embedder)) for one in turns_of(whole)] if len(turn.answered) > 1 else []
        relevance = min(relevance_of(*part) for part in read or [(whole, question, sentences)])
    cited = {citation.hit.chunk.chunk_id for citation in answer.citations}
    covered = frozenset[str]().union(*(sentence.held for sentence in sentences if sentence.hit.chunk.chunk_id in cited))
    missing = tuple(_missing(question, covered))
    coverage = covered_share(question.terms, covered, question.weights)
    conflicts = has_conflicts(answer, sentences, turn.lang)
    is_answer = turn.outcome in (None, "cached", "faq")
    lacking = coverage < SUFFICIENT or any(question.is_name(word) for word in missing)
    confidence = Confidence(
        relevance=round(relevance, 3),
        grounding=_grounding(answer) if is_answer else 0.0,
        coverage=round(coverage, 3),
        conflicts=conflicts,
        sufficient=is_answer and not lacking and not conflicts,
        missing=missing,
    )
    return replace(turn, answer=replace(answer, confidence=confidence)).with_notes(confidence=asdict(confidence))


def confidence_of(turn: Turn) -> Confidence:
    """The confidence of the answer; zeros if it was not assessed."""
    return (turn.answer and turn.answer.confidence) or Confidence()


def confidence_shown(turn: Turn) -> dict[str, Any]:
    """The confidence without words of the question; {} if it was not assessed."""
    confidence = turn.answer.confidence if turn.answer else None
    return {name: value for name, value in asdict(confidence).items() if name != "missing"} if confidence else {}


def relevance_of(turn: Turn, question: Question, sentences: Sequence[Scored]) -> float:
    """The probability that one of the first passages of the turn answers the question. `sentences`: those of all its passages."""
    hits = turn.evidence.hits[:PASSAGES]
    first = {hit.chunk.chunk_id for hit in hits}
    return decide_tier(
        question, [sentence for sentence in sentences if sentence.hit.chunk.chunk_id in first], hits, turn.embedder
    ).verdict.score


def has_conflicts(answer: Answer, sentences: Sequence[Scored], lang: str) -> bool:
    """Whether one of the sentences states the same as a cited one with different numbers. `sentences`: of all passages of the turn."""
    cited = {(citation.hit.chunk.chunk_id, *bounds) for citation in answer.citations for bounds in citation.bounds}
    said = [sentence for sentence in sentences if (sentence.hit.chunk.chunk_id, sentence.start, sentence.end) in cited]
    return any(conflicting(one, other, lang) for one in said for other in sentences)


def _missing(question: Question, covered: frozenset[str]) -> Iterator[str]:
    asking = words_of_intent(question.text)
    for word in question.words_without(covered):
        if len(word) == 1 or word in asking:
            continue
        rarest = max(question.weights[term] for term in content_terms(word, question.lang))
        if question.is_name(word) or rarest >= COMMON:
            yield word


def _grounding(answer: Answer) -> float:
    return 1.0 if answer.extractive else groundedness(answer.claims) or 0.0
