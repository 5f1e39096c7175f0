"""Which questions could a newcomer ask of these documents? Made from their headings, tried before they are shown."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator, Sequence

from footnote.ports import Index
from footnote.types import Caller, Chunk

COUNT = 3
LOOKED_AT = 60
TRIED = 12

TEMPLATES = {
    "en": "What does “{title}” say about {topic}?",
    "de": "Was steht in „{title}“ über {topic}?",
    "ko": "“{title}”에서 {topic}에 대해 뭐라고 하나요?",
}
ABOUT = {"en": "What is “{title}” about?", "de": "Worum geht es in „{title}“?", "ko": "“{title}”은 무엇에 대한 문서인가요?"}
QUESTION = re.compile(r".{8,120}[?？]")
NUMBERING = re.compile(r"^(?:\d{1,2}(?:\.\d{1,3})*[.)]?|[IVX]+[.)])\s+")


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
        heading = NUMBERING.sub("", chunk.headings[-1]).strip() if chunk.headings else ""
        titles.setdefault(chunk.doc_id, (chunk.doc_id, ABOUT[lang].format(title=chunk.title)))
        if not heading or heading in told or heading == chunk.title or not 3 <= len(heading) <= 80:
            continue
        told.add(heading)
        if QUESTION.fullmatch(heading):
            yield chunk.doc_id, heading
        else:
            topics.append((chunk.doc_id, TEMPLATES[lang].format(title=chunk.title, topic=heading)))
    yield from _by_turns(topics)
    yield from titles.values()


def _by_turns(topics: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """One topic of each document, then the second of each."""
    by_document: dict[str, list[tuple[str, str]]] = {}
    for topic in topics:
        by_document.setdefault(topic[0], []).append(topic)
    for round_ in range(max(map(len, by_document.values()), default=0)):
        yield from (mine[round_] for mine in by_document.values() if round_ < len(mine))
