"""Suggests questions: for new users, built from what documents say, and only such as get an answer from there; after an answer, from
passages that were found but not cited.

What a newcomer would ask comes first: the documents' own questions, how to do something, prices and other facts, definitions; then what
a document says below a heading, and what it is about.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from footnote.learn.candidates import Candidate, Kind, make_candidates, topic_of
from footnote.learn.question_templates import TEMPLATES, ask_topic
from footnote.ports import Index
from footnote.text.tokens import content_terms
from footnote.types import Caller, Turn

COUNT = 3
LOOKED_AT = 400
TRIED = 12
"""Questions tried per language."""
OF_A_DOCUMENT = 2
FAILURES = 3
"""After so many questions of a kind without an answer, another kind has its turn."""
KINDS: tuple[Kind, ...] = ("asked", "task", "fact", "definition", "topic", "title")
"""The order in which to suggest them."""
FALLBACKS = KINDS[4:]
"""Suggested only if there are no others."""
GOOD_HIT = 0.5
"""Minimum score of a hit for follow-ups, as a share of the best hit's."""

Quotes = Callable[[str], Awaitable[Sequence[tuple[str, int, int]]]]
"""Question → (chunk id, start, end) of each sentence that answers it without a model; none if it has no certain answer."""


async def suggest_questions(caller: Caller, collection: str, *, index: Index, quotes: Quotes) -> list[tuple[str, str]]:
    """(language, question), at most COUNT of each language; that of most documents first.

    A question is suggested if its answer quotes the place that it was made from. A document gives one, or OF_A_DOCUMENT where few
    documents give any."""
    candidates = await asyncio.to_thread(make_candidates, await index.sample(caller, collection, LOOKED_AT))  # takes some 100 ms
    languages = Counter({candidate.chunk.doc_id: candidate.lang for candidate in candidates}.values())
    return [
        (lang, question)
        for lang, _ in languages.most_common()
        for question in await _choose([each for each in candidates if each.lang == lang], quotes)
    ]


def in_language(questions: Sequence[Sequence[str]], lang: str | None) -> list[str]:
    """At most COUNT of these (language, question), those in `lang` first."""
    return [question for _, question in sorted(questions, key=lambda each: each[0] != lang)][:COUNT]


async def _choose(candidates: list[Candidate], quotes: Quotes) -> list[str]:
    """The best COUNT that are answered, of several kinds; first what stands first in its document."""
    chosen: list[Candidate] = []
    failed: Counter[Kind] = Counter()

    def order(candidate: Candidate) -> tuple[int, ...]:
        kind, fallback = candidate.kind, candidate.kind in FALLBACKS
        used = sum(other.kind == kind for other in chosen) + failed[kind] // FAILURES + 2 * (kind == "definition")
        return (
            fallback,
            _from_same(candidate, chosen),
            any(map(candidate.is_like, chosen)),
            candidate.rank == 2,
            0 if fallback else used,
            KINDS.index(kind),
            candidate.rank,
            candidate.chunk.ordinal,
            candidate.start,
        )

    for _ in range(TRIED):
        open_ = [each for each in candidates if _from_same(each, chosen) < OF_A_DOCUMENT]
        if len(chosen) == COUNT or not open_:
            break
        candidate = min(open_, key=order)
        candidates.remove(candidate)
        if _is_from(await quotes(candidate.question), candidate):
            chosen.append(candidate)
        else:
            failed[candidate.kind] += 1
    return [candidate.question for candidate in chosen]


def _from_same(candidate: Candidate, chosen: Sequence[Candidate]) -> int:
    return sum(other.chunk.doc_id == candidate.chunk.doc_id for other in chosen)


def _is_from(quoted: Sequence[tuple[str, int, int]], candidate: Candidate) -> bool:
    """Whether a quote overlaps the text that answers the candidate."""
    return any(
        chunk_id == place and start < last and first < end for chunk_id, start, end in quoted for place, first, last in candidate.places
    )


async def suggest_follow_ups(turn: Turn) -> Turn:
    """Sets `turn.record.suggested_questions`: at most COUNT, possibly none; the best hit's first. Those that the answering model wrote
    stay, unless its answer was withheld.

    Uses good hits in the question's language that the answer does not cite and whose heading adds a term to title, question,
    answer and earlier suggestions. If there was no answer, terms of the question may recur.
    """
    if turn.record.suggested_questions and turn.outcome in (None, "cached"):
        return turn
    unrelated = turn.answer is not None and turn.answer.verdict is not None and turn.answer.verdict.tier == "nothing"
    if turn.lang not in TEMPLATES or unrelated:
        return turn
    answer = turn.answer
    cited = {citation.hit.chunk.chunk_id for citation in answer.citations} if answer else set()
    cited_topics = {(hit.chunk.doc_id, topic_of(hit.chunk)) for hit in turn.evidence.hits if hit.chunk.chunk_id in cited}
    asked = set(content_terms(turn.asked, turn.lang))
    said = asked.union(content_terms(answer.text, turn.lang)) if answer and cited else set()
    questions: list[str] = []
    for chunk in (hit.chunk for hit in turn.evidence.hits if hit.score >= GOOD_HIT * turn.evidence.hits[0].score):
        topic = topic_of(chunk)
        if topic is None or chunk.lang != turn.lang or (chunk.doc_id, topic) in cited_topics:
            continue
        terms = set(content_terms(topic, turn.lang))
        if terms != asked and not terms <= said.union(content_terms(chunk.title, turn.lang)):
            questions.append(ask_topic(chunk.title, topic, turn.lang))
            said |= terms
    return replace(turn, record=replace(turn.record, suggested_questions=tuple(questions[:COUNT])))
