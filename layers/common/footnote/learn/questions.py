"""Suggests questions to new users, built from what documents say, and only such as get their answer from there.

What a newcomer would ask comes first: the documents' own questions, how to do something, prices and other facts, definitions; then their
other headings.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence

from footnote.learn.candidates import Candidate, Kind, make_candidates
from footnote.ports import Index
from footnote.text.language import detect_language
from footnote.types import Caller

COUNT = 3
LOOKED_AT = 400
TRIED = 12
"""Questions tried per language."""
OF_A_DOCUMENT = 2
FAILURES = 3
"""After so many questions of a kind without an answer, another kind has its turn."""
KINDS: tuple[Kind, ...] = ("asked", "task", "fact", "definition", "topic")
"""The order in which to suggest them."""
FROM_PATTERNS: frozenset[Kind] = frozenset({"asked", "fact", "definition"})
"""The place that they were made from is what answers."""
Quotes = Callable[[str], Awaitable[Sequence[tuple[str, int, int]]]]
"""Question → (chunk id, start, end) of each sentence that answers it without a model, in the order of the answer; none if it has no
certain answer."""
SENTENCE = re.compile(r"(?!See |Siehe )[\W\d]*[A-ZÄÖÜ가-힣“\"'`(].*(?:[.!?。:)\]”\"'`]|다|요|[니시]오)|[-*•|].*|\d{1,3}[.)] .*", re.DOTALL)
"""A sentence, an item of a list or a row of a table."""
POINTS_BACK = re.compile(
    r"(?:he|she|it|they|this|that|these|those|but|and|or|so|then|thus|however|also|such|here|there|his|her|its|their|otherwise|instead"
    r"|er|sie|es|diese[rsmn]?|aber|und|oder|dann|daher|deshalb|jedoch|auch|hier|dort|sein\w*|ihr\w*|sonst|stattdessen)\b"
    r"|(?:이|그|저)(?:것|는|를|들)? |그러나|그리고|하지만|따라서|또한|또 |이는|그래서",
    re.IGNORECASE,
)
"""The beginning of a sentence that is not understood alone."""


async def suggest_questions(caller: Caller, collection: str, *, index: Index, quotes: Quotes) -> list[tuple[str, str]]:
    """(language, question), at most COUNT of each language; that of most documents first.

    A question is suggested if its answer begins with a quote of the place that it was made from. A document gives one, or OF_A_DOCUMENT
    where few documents give any."""
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
        kind, fallback = candidate.kind, candidate.kind == "topic"
        used = sum(other.kind == kind for other in chosen) + failed[kind] // FAILURES + (kind == "definition")
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
        if answers(await quotes(candidate.question), candidate):
            chosen.append(candidate)
        else:
            failed[candidate.kind] += 1
    return [candidate.question for candidate in chosen]


def _from_same(candidate: Candidate, chosen: Sequence[Candidate]) -> int:
    return sum(other.chunk.doc_id == candidate.chunk.doc_id for other in chosen)


def answers(quoted: Sequence[tuple[str, int, int]], candidate: Candidate) -> bool:
    """Whether the first quote overlaps the text that answers the candidate. Below a heading it must be understood alone, too."""
    if not quoted or not is_from(quoted[0], candidate):
        return False
    if candidate.kind in FROM_PATTERNS:
        return True
    chunk_id, start, end = quoted[0]
    if chunk_id != candidate.chunk.chunk_id:
        return candidate.kind != "topic"
    said = candidate.chunk.text[start:end].strip()
    if candidate.kind == "task" and candidate.chunk.kind_at(start) == "code":
        return True
    if candidate.kind == "topic" and (POINTS_BACK.match(said) or detect_language(said, (candidate.lang, "en")) != candidate.lang):
        return False
    return SENTENCE.fullmatch(said) is not None


def is_from(quote: tuple[str, int, int], candidate: Candidate) -> bool:
    """Whether a quote overlaps the text that answers the candidate."""
    chunk_id, start, end = quote
    return any(chunk_id == place and start < last and first < end for place, first, last in candidate.places)
