"""Makes questions from passages, each with the place that answers it: their own questions, headings, facts, tables, definitions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import zip_longest
from typing import Literal

from footnote.learn.heading_questions import TEMPLATES, HeadingKind, ask_heading
from footnote.learn.question_templates import (
    ASKED,
    DEFINITIONS,
    EXPLAINED,
    MEASURES,
    NO_THING,
    NO_TOPICS,
    NOT_DEFINED,
    NUMBERED,
    NUMBERING,
    QUESTION,
    TITLED,
    TOPIC,
    ask_definition,
    ask_measure,
)
from footnote.learn.table_questions import ask_table
from footnote.text.document_names import reading_rank
from footnote.text.faq_marks import ASKS
from footnote.text.references import needs_rewriting
from footnote.text.tokens import content_terms
from footnote.types import WORDED_LANGUAGES, BlockKind, Chunk

Kind = HeadingKind | Literal["fact", "definition"]
CONTENT = 15
"""Characters below a heading without which there is nothing to ask for."""
LONGEST_TOPIC = 60
BEGINNING = 3
"""The last passage of a document's beginning, where it says what it is about."""
PROSE = 80
"""Characters below a heading that only names something, so that there is something to know."""
SENTENCE = re.compile(r"^|(?<=[.!?:])\s+|\n+")
"""What stands before a sentence."""
MARKUP = "*_ "


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
        """The content terms of the question, without those of the document's title and of questions made from headings."""
        left_out = content_terms(f"{self.chunk.title} {TEMPLATES[self.lang].format(topic='')}", self.lang)
        return frozenset(content_terms(self.question, self.lang)).difference(left_out)

    @cached_property
    def rank(self) -> int:
        """0 = from a document for newcomers, by its name; 1 = from any; 2 = from one for those who know it already."""
        return reading_rank(f"{self.chunk.metadata.get('file_name', '')} {self.chunk.title}")

    def is_like(self, other: Candidate) -> bool:
        """Whether they share half of the words of the shorter one."""
        return 2 * len(self.words & other.words) >= min(len(self.words), len(other.words)) > 0


@dataclass(frozen=True, slots=True)
class _Block:
    kind: BlockKind
    text: str
    start: int
    end: int


def make_candidates(chunks: Sequence[Chunk]) -> list[Candidate]:
    """Different questions, in languages that have templates. A document's questions are in the language of most of its passages."""
    spoken: dict[str, Counter[str]] = {}
    for chunk in chunks:
        spoken.setdefault(chunk.doc_id, Counter())[chunk.lang] += len(chunk.text)
    made: dict[str, Candidate] = {}
    for chunk in chunks:
        lang = spoken[chunk.doc_id].most_common(1)[0][0]
        if lang not in WORDED_LANGUAGES:
            continue
        for candidate in _of_chunk(chunk, lang):
            first = made.setdefault(candidate.question.casefold(), candidate)
            if first is not candidate and first.chunk.doc_id == chunk.doc_id:
                made[candidate.question.casefold()] = replace(first, continued=first.continued + candidate.places)
    return list(made.values())


def _topic(heading: str, title: str) -> str | None:
    heading = NUMBERING.sub("", heading).strip().rstrip(":.")
    if asked := ASKED.fullmatch(heading):
        return asked["question"]
    said = heading.casefold()
    if TOPIC.fullmatch(heading) is None or heading.isupper() or said == title.casefold().rstrip(":."):
        return None
    if said in NO_TOPICS or NUMBERED.fullmatch(said):
        return None
    return heading


def _of_chunk(chunk: Chunk, lang: str) -> Iterator[Candidate]:
    blocks = _blocks(chunk)
    for heading, start, end in _sections(chunk, blocks):
        topic = _topic(heading, chunk.title)
        if topic is None or len(topic) > LONGEST_TOPIC or end - start < CONTENT:
            continue
        asked = ask_heading(topic, lang, chunk.text[start:end])
        if asked is not None and _is_whole(asked[0], lang) and (asked[1] != "topic" or end - start >= PROSE):
            yield Candidate(*asked, lang, chunk, start, end)
    for i, block in enumerate(blocks):
        if block.kind == "table":
            for question, is_how_to, start, end in ask_table(block.text, lang):
                yield Candidate(question, "task" if is_how_to else "fact", lang, chunk, block.start + start, block.start + end)
        elif block.kind == "paragraph":
            yield from _of_paragraph(chunk, blocks[i:], lang)
            yield from _of_document(chunk, block, lang)


def _blocks(chunk: Chunk) -> list[_Block]:
    if not chunk.parts:
        return [_Block(chunk.kind, chunk.text, 0, len(chunk.text))]
    ends = [part.offset for part in chunk.parts[1:]] + [len(chunk.text)]
    return [
        _Block(part.kind or chunk.kind, chunk.text[part.offset : end].strip(), part.offset, end)
        for part, end in zip(chunk.parts, ends, strict=True)
    ]


def _sections(chunk: Chunk, blocks: Sequence[_Block]) -> Iterator[tuple[str, int, int]]:
    """(heading, beginning and end of the text below it)."""
    heading, start = chunk.headings[-1] if chunk.headings else "", 0
    for block in blocks:
        if block.kind == "heading":
            yield heading, start, block.start
            heading, start = block.text, block.end
    yield heading, start, len(chunk.text)


def _of_paragraph(chunk: Chunk, blocks: Sequence[_Block], lang: str) -> Iterator[Candidate]:
    block = blocks[0]
    marked = list(ASKED.finditer(block.text))
    for found, following in zip_longest(marked, marked[1:]):
        end = block.start + following.start() if following else blocks[min(1, len(blocks) - 1)].end
        if end - block.start - found.end() >= CONTENT and _is_whole(found["question"], lang):
            yield Candidate(found["question"].strip(), "asked", lang, chunk, block.start + found.end(), end)
    line = block.text.strip(MARKUP)
    alone = QUESTION.fullmatch(line) and not re.search(r"[.!]\s", line) and ASKS[lang].match(line) and _is_whole(line, lang)
    if alone and len(blocks) > 1 and _answers(blocks[1]):
        yield Candidate(line, "asked", lang, chunk, blocks[1].start, blocks[1].end)
    for begins in SENTENCE.finditer(block.text):
        for pattern, question in MEASURES[lang]:
            if (told := pattern.match(block.text, begins.end())) and not NO_THING.search(told["thing"]):
                yield Candidate(ask_measure(told, question, lang), "fact", lang, chunk, *_span(block, told))
        defined = DEFINITIONS[lang].match(block.text, begins.end())
        if defined and not NOT_DEFINED.search(defined[0]) and not NO_THING.search(_thing(defined)) and not _is_circular(defined):
            yield Candidate(ask_definition(defined, lang), "definition", lang, chunk, *_span(block, defined))


def _of_document(chunk: Chunk, block: _Block, lang: str) -> Iterator[Candidate]:
    """What the thing is that the document is named after."""
    if chunk.ordinal > BEGINNING or lang not in TITLED:
        return
    for begins in SENTENCE.finditer(block.text):
        if (named := TITLED[lang].match(block.text, begins.end())) and named["thing"] in chunk.title:
            yield Candidate(EXPLAINED[lang].format(row=named["thing"]), "definition", lang, chunk, *_span(block, named))


def _thing(defined: re.Match[str]) -> str:
    """What a match of DEFINITIONS defines."""
    return next(said for name, said in defined.groupdict().items() if said and name != "article")


def _is_circular(defined: re.Match[str]) -> bool:
    """Whether a Korean definition ends with what it defines: “목록은 … 목록입니다”."""
    return re.search(rf"{re.escape(_thing(defined))}(?:이다|입니다|[을를] 말한다|[을를] 말합니다)\.$", defined[0]) is not None


def _is_whole(question: str, lang: str) -> bool:
    """Whether a question names what it is about."""
    return bool(content_terms(question, lang)) and not needs_rewriting(question, lang)


def _answers(block: _Block) -> bool:
    """Whether the block below a question can be its answer."""
    return block.kind in ("paragraph", "list") and len(block.text) >= CONTENT and not block.text.endswith(("?", "？"))


def _span(block: _Block, found: re.Match[str]) -> tuple[int, int]:
    return block.start + found.start(), block.start + found.end()
