"""Suggests what to ask after an answer: questions that passages near it answer, each tried before it is shown.

They are found like those for new users (`questions`), in the passages of the turn, or written by the model that answered. None
is better than a bad one.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from contextlib import aclosing, suppress

from footnote.errors import FootnoteError
from footnote.learn.candidates import Candidate, make_candidates
from footnote.learn.questions import COUNT, answers, is_from
from footnote.text.tokens import content_terms
from footnote.types import EXTERNAL_IDS, Citation, Turn
from footnote.types.copies import replace

GOOD_HIT = 0.5
"""Minimum score of a hit in a document that was not cited, as a share of the best hit's."""
TRIED = 8
TRYING_S = 0.3
"""How long questions are tried: the answer is complete, and its reader waits for nothing else."""

Place = tuple[str, int, int]
"""(chunk id, start, end) of a text."""
Trial = Callable[[Turn, str], Awaitable[Sequence[Place]]]
"""(turn, question) → each sentence that would answer the question, asked like the turn's, without a model;
none if it has no certain answer."""


async def suggest_follow_ups(turn: Turn, *, trial: Trial) -> Turn:
    """Sets `turn.trace.suggested_questions`: at most COUNT, possibly none; those about the documents that answered first. If the
    answering model wrote some that get an answer, there are no others, unless its own answer was withheld.

    A question of ours is in the language of the turn's, is not answered yet, and asks about a document that was cited or shares a term
    with the turn's question.
    """
    suggested: list[str] = []
    with suppress(TimeoutError, FootnoteError):  # those that were tried before are suggested, and the answer is whole without them
        async with asyncio.timeout(TRYING_S), aclosing(_answered(turn, trial)) as questions:
            async for question in questions:
                suggested.append(question)
    return replace(turn, trace=replace(turn.trace, suggested_questions=tuple(suggested[:COUNT])))


async def _answered(turn: Turn, trial: Trial) -> AsyncGenerator[str, None]:
    """The questions that get an answer: those of the model, or else generated ones."""
    written = turn.trace.suggested_questions if turn.outcome in (None, "cached") else ()
    before = {turn.asked, turn.request.question, *(exchange.question for exchange in turn.conversation.exchanges)}
    asked_before = {question.casefold() for question in before}
    has_answer = False
    for question in written:
        if question.casefold() not in asked_before and any(not _overlaps(quote, _quoted(turn)) for quote in await trial(turn, question)):
            has_answer = True
            yield question
    unrelated = turn.answer is not None and turn.answer.verdict is not None and turn.answer.verdict.tier == "nothing"
    if has_answer or unrelated:
        return
    chosen: list[Candidate] = []
    for _, candidate in zip(range(TRIED), _open(turn, chosen), strict=False):
        if answers(await trial(turn, candidate.question), candidate):
            chosen.append(candidate)
            yield candidate.question
        if len(chosen) == COUNT:
            return


def _cited(turn: Turn) -> Sequence[Citation]:
    return turn.answer.citations if turn.answer and turn.outcome != "closest" else ()


def _quoted(turn: Turn) -> list[Place]:
    """The evidence of the answer."""
    return [
        (citation.hit.chunk.chunk_id, *bounds)
        for citation in _cited(turn)
        for bounds in citation.bounds or ((0, len(citation.hit.chunk.text)),)
    ]


def _overlaps(place: Place, others: Sequence[Place]) -> bool:
    chunk_id, start, end = place
    return any(chunk_id == other and start < last and first < end for other, first, last in others)


def _open(turn: Turn, chosen: Sequence[Candidate]) -> Iterator[Candidate]:
    """The questions to try, the best first; none that is like one of `chosen`, to which the caller adds."""
    cited = _cited(turn)
    documents = {citation.hit.chunk.doc_id for citation in cited}
    least = GOOD_HIT * max((hit.score for hit in turn.evidence.hits), default=0.0)
    hits = [hit for hit in turn.evidence.hits if hit.score >= least or hit.chunk.doc_id in documents]
    chunks = [hit.chunk for hit in hits if not hit.chunk.chunk_id.startswith(EXTERNAL_IDS)]
    places = {chunk.chunk_id: place for place, chunk in enumerate(chunks)}
    before = {exchange.question.casefold() for exchange in turn.conversation.exchanges}
    question_terms = set(content_terms(turn.asked, turn.lang))
    said = question_terms.union(content_terms(turn.answer.text, turn.lang)) if turn.answer and cited else set[str]()
    quoted = _quoted(turn)

    def is_new(candidate: Candidate) -> bool:
        terms = set(candidate.words)
        if (
            candidate.question.casefold() in before
            or terms <= said
            or terms == question_terms
            or 2 * len(terms & question_terms) > len(terms | question_terms)
        ):
            return False
        return not any(is_from(place, candidate) for place in quoted)

    def is_near(candidate: Candidate) -> bool:
        around = candidate.words.union(content_terms(" ".join((candidate.chunk.title, *candidate.chunk.headings)), turn.lang))
        return candidate.chunk.doc_id in documents or not question_terms.isdisjoint(around)

    candidates = [candidate for candidate in make_candidates(chunks) if candidate.lang == turn.lang]
    candidates.sort(
        key=lambda candidate: (candidate.chunk.doc_id not in documents, candidate.kind == "topic", places[candidate.chunk.chunk_id])
    )
    for candidate in candidates:
        if is_new(candidate) and is_near(candidate) and not any(map(candidate.is_like, chosen)):
            yield candidate
