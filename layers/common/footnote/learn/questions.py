"""Which questions could be asked of these documents? Made from their headings: for a newcomer, tried before they
are shown; after an answer, from what was found beside it."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace

from footnote.ports import Index
from footnote.text.tokens import content_terms
from footnote.types import Caller, Chunk, Turn

COUNT = 3
LOOKED_AT = 60
TRIED = 12
GOOD_HIT = 0.5
"""Share of the best hit's score."""

TEMPLATES = {
    "en": "What does “{title}” say about “{topic}”?",
    "de": "Was steht in „{title}“ über „{topic}“?",
    "ko": "“{title}”에서 “{topic}”에 대해 뭐라고 하나요?",
}
ABOUT = {"en": "What is “{title}” about?", "de": "Worum geht es in „{title}“?", "ko": "“{title}”은 무엇에 대한 문서인가요?"}
QUESTION = re.compile(r".{8,120}[?？]")
NUMBERING = re.compile(r"^(?:\d{1,2}(?:\.\d{1,3})*[.)]?|[IVX]+[.)])\s+")
TOPIC = re.compile(r"[^\W\d_][^/\\{}<>|=`_*#@“”„\"]{2,79}")
"""Words: no path, no code, no field's name."""
NO_TOPICS = frozenset(
    """introduction overview summary abstract contents conclusion conclusions references bibliography appendix notes note
    examples example commands questions miscellaneous general other background discussion results acknowledgements acknowledgments
    disclaimer index contact details description
    einleitung einführung übersicht überblick zusammenfassung inhalt inhaltsverzeichnis fazit literatur literaturverzeichnis anhang hinweise
    hinweis beispiele beispiel fragen allgemeines sonstiges impressum kontakt beschreibung
    개요 서론 소개 요약 목차 차례 결론 참고문헌 부록 비고 예시 기타 질문 일반 설명""".split()
)
"""Headings that every document has: one asks nothing by them."""
NUMBERED = re.compile(r"(?:sheet|slide|page|chart|tabelle|folie|seite|diagramm|시트|슬라이드|쪽|차트) ?\d+")
"""What a program called it, as nobody else did."""


async def suggest_questions(caller: Caller, collection: str, *, index: Index, answerable: Callable[[str], Awaitable[bool]]) -> list[str]:
    """At most COUNT questions, from different documents where there are several; only such as get an answer."""
    chunks = await index.sample(caller, collection, LOOKED_AT)
    good: list[str] = []
    rest: list[str] = []
    seen: set[str] = set()
    for tried, (doc_id, question) in enumerate(candidates(chunks)):
        if len(good) == COUNT or tried == TRIED:
            break
        if await answerable(question):
            (good if doc_id not in seen else rest).append(question)
            seen.add(doc_id)
    return (good + rest)[:COUNT]


def candidates(chunks: Sequence[Chunk]) -> Iterator[tuple[str, str]]:
    """(document, question): headings that ask something first, then headings as topics, then titles."""
    told: set[str] = set()
    topics: list[tuple[str, str]] = []
    titles: dict[str, tuple[str, str]] = {}
    for chunk in chunks:
        lang = chunk.lang if chunk.lang in TEMPLATES else "en"
        titles.setdefault(chunk.doc_id, (chunk.doc_id, ABOUT[lang].format(title=chunk.title)))
        topic = _topic(chunk)
        if topic is None or topic in told:
            continue
        told.add(topic)
        question = chunk.doc_id, _ask(chunk, topic, lang)
        if QUESTION.fullmatch(topic):
            yield question
        else:
            topics.append(question)
    yield from _by_turns(topics)
    yield from titles.values()


async def suggest_follow_ups(turn: Turn) -> Turn:
    """`turn.record.suggested_questions`: at most COUNT, the best hit's first, rather none than one that leads nowhere.

    Only from good hits that the answer does not cite, in the question's language, whose headings say something
    that neither their title nor the question nor the answer nor a suggestion before has said. Where nothing was
    answered, the question's words may come again."""
    if turn.lang not in TEMPLATES:
        return turn
    answer = turn.answer
    cited = {citation.hit.chunk.chunk_id for citation in answer.citations} if answer else set()
    told = {(hit.chunk.doc_id, _topic(hit.chunk)) for hit in turn.evidence.hits if hit.chunk.chunk_id in cited}
    asked = set(content_terms(turn.asked, turn.lang))
    said = asked.union(content_terms(answer.text, turn.lang)) if answer and cited else set()
    questions: list[str] = []
    for chunk in (hit.chunk for hit in turn.evidence.hits if hit.score >= GOOD_HIT * turn.evidence.hits[0].score):
        topic = _topic(chunk)
        if topic is None or chunk.lang != turn.lang or (chunk.doc_id, topic) in told:
            continue
        terms = set(content_terms(topic, turn.lang))
        if terms != asked and not terms <= said.union(content_terms(chunk.title, turn.lang)):
            questions.append(_ask(chunk, topic, turn.lang))
            said |= terms
    return replace(turn, record=replace(turn.record, suggested_questions=tuple(questions[:COUNT])))


def _topic(chunk: Chunk) -> str | None:
    """What its heading is about; None where that is nothing of its own."""
    heading = NUMBERING.sub("", chunk.headings[-1]).strip().rstrip(":.") if chunk.headings else ""
    said = heading.casefold()
    if TOPIC.fullmatch(heading) is None or heading.isupper() or said == chunk.title.casefold().rstrip(":."):
        return None
    if said in NO_TOPICS or NUMBERED.fullmatch(said):
        return None
    return heading


def _ask(chunk: Chunk, topic: str, lang: str) -> str:
    return topic if QUESTION.fullmatch(topic) else TEMPLATES[lang].format(title=chunk.title, topic=topic)


def _by_turns(topics: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """One topic of each document, then the second of each."""
    by_document: dict[str, list[tuple[str, str]]] = {}
    for topic in topics:
        by_document.setdefault(topic[0], []).append(topic)
    for round_ in range(max(map(len, by_document.values()), default=0)):
        yield from (mine[round_] for mine in by_document.values() if round_ < len(mine))
