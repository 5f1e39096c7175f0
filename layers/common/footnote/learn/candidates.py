"""Finds questions in passages, each with the place of its answer: the documents' own questions, and questions about their headings. A
question about a heading quotes it, so that any form of heading fits into the sentence and the question needs no conversation; in languages
without a sentence it is the heading alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from footnote.text.document_names import reading_rank
from footnote.text.message_kinds import needs_conversation
from footnote.text.tokens import BIGRAM_LANGUAGES, content_terms
from footnote.text.words import QUESTION_MARK
from footnote.types import Chunk
from footnote.types.copies import replace

Kind = Literal["asked", "topic"]
"""asked: the document asks it. topic: a heading that names something."""
TEMPLATES = {
    "en": "What is there on “{topic}”?",
    "de": "Was gibt es zu „{topic}“?",
}
"""Language → the question for a heading, all of whose other words are stop words and question words: a content word that no passage has
would keep the question from a certain answer, as every form of a sentence does in Korean."""
CONTENT, PROSE = 15, 80
"""Characters below a question, and below another heading, without which there is nothing to ask for."""
LEAST_LETTERS = 10
"""Of a topic of one word; a shorter one is too vague. In languages without spaces and in Korean, half of it is enough."""
NUMBER = re.compile(r"^(?:\d{1,2}(?:\.\d{1,3})*[.)]?|[IVX]+[.)])\s+")
QUESTION = re.compile(rf"[*_#\s]*(?P<mark>{QUESTION_MARK})?\s*(?P<question>[^?？\n]{{8,120}}[?？])[*_\s]*", re.IGNORECASE)
"""A question at the beginning of a block, with its mark: “Q:”."""
TOPIC = re.compile(r"[^\W\d_][^/\\{}<>|=`_*#@“”„\"]{1,59}")
"""Words only: no paths, code or field names."""
NO_TOPICS = frozenset(
    """introduction conclusion conclusions references bibliography questions miscellaneous background discussion acknowledgements
    acknowledgments disclaimer description installation requirements
    einleitung einführung übersicht überblick zusammenfassung inhaltsverzeichnis literatur literaturverzeichnis
    allgemeines beschreibung""".split()
)
"""Generic headings of one long word."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """A question and the range of the passage's text that answers it."""

    question: str
    kind: Kind
    lang: str
    chunk: Chunk
    start: int
    end: int
    continued: tuple[tuple[str, int, int], ...] = ()
    """(chunk id, start, end) of the rest of a section that is longer than its passage."""

    @property
    def places(self) -> tuple[tuple[str, int, int], ...]:
        """(chunk id, start, end) of all text that answers it."""
        return ((self.chunk.chunk_id, self.start, self.end), *self.continued)

    @cached_property
    def words(self) -> frozenset[str]:
        """The content terms of the question, without those of the document's title and of questions about headings."""
        left_out = content_terms(f"{self.chunk.title} {_question('', self.lang)}", self.lang)
        return frozenset(content_terms(self.question, self.lang)).difference(left_out)

    @cached_property
    def rank(self) -> int:
        """0 = from a document for newcomers, by its name; 1 = from any; 2 = from one for those who know it already."""
        return reading_rank(f"{self.chunk.metadata.get('file_name', '')} {self.chunk.title}")

    def is_like(self, other: Candidate) -> bool:
        """Whether they share half of the words of the shorter one."""
        return 2 * len(self.words & other.words) >= min(len(self.words), len(other.words)) > 0


def make_candidates(chunks: Sequence[Chunk]) -> list[Candidate]:
    """Different questions; none for a heading that several documents have. A document's are in the language of most of its passages."""
    spoken: dict[str, Counter[str]] = {}
    for chunk in chunks:
        spoken.setdefault(chunk.doc_id, Counter())[chunk.lang] += len(chunk.text)
    by_question: dict[str, Candidate | None] = {}
    for chunk in chunks:
        for candidate in _of_chunk(chunk, spoken[chunk.doc_id].most_common(1)[0][0]):
            key = candidate.question.casefold()
            first = by_question.setdefault(key, candidate)
            if first is None or first.chunk.doc_id != chunk.doc_id:
                by_question[key] = first if candidate.kind == "asked" else None
            elif first is not candidate:
                by_question[key] = replace(first, continued=first.continued + candidate.places)
    return [candidate for candidate in by_question.values() if candidate is not None]


def _of_chunk(chunk: Chunk, lang: str) -> Iterator[Candidate]:
    if chunk.content_type not in ("text", "faq"):
        return
    for heading, start, end in _sections(chunk):
        said = NUMBER.sub("", heading).strip().rstrip(":.")
        match = QUESTION.fullmatch(said)
        question = match["question"] if match else _question(said, lang)
        if not (match or _is_topic(said, chunk, lang)) or end - start < (CONTENT if match else PROSE):
            continue
        if content_terms(question, lang) and not needs_conversation(question):
            yield Candidate(question, "asked" if match else "topic", lang, chunk, start, end)


def _sections(chunk: Chunk) -> Iterator[tuple[str, int, int]]:
    """(heading, beginning and end of the text below it). A question at the beginning of the passage or of the text below a heading is a
    heading, too, if nothing follows it, or if it is marked as one."""
    heading, start, is_first = chunk.headings[-1] if chunk.headings else "", 0, True
    begins = [part.offset for part in chunk.parts] or [0]
    for number, (at, end) in enumerate(zip(begins, [*begins[1:], len(chunk.text)], strict=True)):
        text = chunk.text[at:end].strip()
        kind = (chunk.parts[number].kind if chunk.parts else None) or chunk.kind
        match = QUESTION.match(text) if is_first and kind == "paragraph" else None
        if match and (match["mark"] or match.end() == len(text)):
            heading, start = match["question"], at + match.end()
        elif kind == "heading":
            yield heading, start, at
            heading, start = text, end
        is_first = kind == "heading"
    yield heading, start, len(chunk.text)


def _question(topic: str, lang: str) -> str:
    return TEMPLATES.get(lang, "{topic}").format(topic=topic)


def _is_topic(heading: str, chunk: Chunk, lang: str) -> bool:
    """Whether a heading names something to ask about."""
    if TOPIC.fullmatch(heading) is None or heading.isupper():
        return False
    if heading.casefold() in NO_TOPICS or heading.casefold() == chunk.title.casefold().rstrip(":."):
        return False
    words = [word for word in heading.split() if any(map(str.isalpha, word))]
    return len(words) > 1 or sum(map(str.isalpha, heading)) >= LEAST_LETTERS / (1 + (lang in BIGRAM_LANGUAGES))
