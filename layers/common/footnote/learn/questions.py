"""Suggests questions to new users, in the words of the documents; only those that the documents answer.

Typical questions of a newcomer come first: the documents' own questions, then their headings."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence

from footnote.learn.candidates import Candidate, make_candidates
from footnote.ports import Index
from footnote.types import Caller

COUNT = 3
LOOKED_AT = 400
TRIED = 12
"""Questions tried per language."""
OF_A_DOCUMENT = 2
Quotes = Callable[[str], Awaitable[Sequence[tuple[str, int, int]]]]
"""Question → (chunk id, start, end) of each sentence that answers it without a model, in the order of the answer; none if it has no
certain answer."""


async def suggest_questions(caller: Caller, collection: str, *, index: Index, quotes: Quotes) -> list[tuple[str, str]]:
    """(language, question), at most COUNT of each language; the language of most documents first.

    A question is suggested if its answer begins with a quote of the place that it was made from. A document gives one, or OF_A_DOCUMENT
    where few documents give any."""
    candidates = await asyncio.to_thread(make_candidates, await index.sample(caller, collection, LOOKED_AT))  # takes some 100 ms
    languages = Counter({candidate.chunk.doc_id: candidate.lang for candidate in candidates}.values())
    return [
        (lang, question)
        for lang, _ in languages.most_common()
        for question in await _choose([candidate for candidate in candidates if candidate.lang == lang], quotes)
    ]


def in_language(questions: Sequence[Sequence[str]], lang: str | None) -> list[str]:
    """At most COUNT of these (language, question), those in `lang` first."""
    return [question for _, question in sorted(questions, key=lambda pair: pair[0] != lang)][:COUNT]


async def _choose(candidates: list[Candidate], quotes: Quotes) -> list[str]:
    """The best COUNT with an answer; those from the beginning of a document first."""
    chosen: list[Candidate] = []

    def order(candidate: Candidate) -> tuple[int, ...]:
        return (
            candidate.kind == "topic",
            _from_same(candidate, chosen),
            any(map(candidate.is_like, chosen)),
            candidate.rank,
            candidate.chunk.ordinal,
            candidate.start,
        )

    for _ in range(TRIED):
        open_ = [candidate for candidate in candidates if _from_same(candidate, chosen) < OF_A_DOCUMENT]
        if len(chosen) == COUNT or not open_:
            break
        candidate = min(open_, key=order)
        candidates.remove(candidate)
        if answers(await quotes(candidate.question), candidate):
            chosen.append(candidate)
    return [candidate.question for candidate in chosen]


def _from_same(candidate: Candidate, chosen: Sequence[Candidate]) -> int:
    return sum(other.chunk.doc_id == candidate.chunk.doc_id for other in chosen)


def answers(quoted: Sequence[tuple[str, int, int]], candidate: Candidate) -> bool:
    """Whether the first quote overlaps the text that answers the candidate."""
    return bool(quoted) and is_from(quoted[0], candidate)


def is_from(quote: tuple[str, int, int], candidate: Candidate) -> bool:
    """Whether a quote overlaps the text that answers the candidate."""
    chunk_id, start, end = quote
    return any(chunk_id == place and start < last and first < end for place, first, last in candidate.places)
