"""Makes questions from passages, each with the place that answers it: their own questions, headings, facts, tables, definitions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import zip_longest
from typing import Literal

from footnote.learn.question_templates import (
    ASKED,
    DEFINITIONS,
    EXPLAINING,
    FIRST_READ,
    HOW_TO,
    LAST_READ,
    MEASURES,
    NO_THING,
    NO_TOPICS,
    NOT_DEFINED,
    NUMBERED,
    NUMBERING,
    QUESTION,
    TASK_COLUMNS,
    TASKS,
    TEMPLATES,
    TOPIC,
    about,
    ask_cell,
    ask_definition,
    ask_measure,
    ask_topic,
)
from footnote.text.faq_marks import ASKS
from footnote.text.references import needs_rewriting
from footnote.text.tokens import content_terms
from footnote.text.words import QUESTION_WORDS, STOP_WORDS
from footnote.types import BlockKind, Chunk

Kind = Literal["asked", "task", "fact", "definition", "topic", "title"]
CONTENT = 15
"""Characters below a heading without which there is nothing to ask for."""
LONGEST_TOPIC = 60
CELLS_OF_A_TABLE = 2
RULE = re.compile(r"\|(?: ?:?-+:? ?\|)+")
PLAIN = re.compile(r"[^\W\d_][^/\\{}<>|=`_*#@“”„\"…;:()\[\]]{1,39}")
"""A name in a cell."""
NOUNS = frozenset({"name", "type", "year", "kind", "jahr"})
OF_CONTENTS = frozenset({"page", "seite", "쪽", "페이지"})
CODE = re.compile(r"^[^a-z가-힣]+$|[a-z][A-Z]|\d$")
"""No capitals alone, no two names in one."""
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
        """The content terms of the question, without those of the document's title."""
        return frozenset(content_terms(self.question, self.lang)).difference(content_terms(self.chunk.title, self.lang))

    @cached_property
    def rank(self) -> int:
        """0 = from a document for newcomers, by its name; 1 = from any; 2 = from one for those who know it already."""
        name = f"{self.chunk.metadata.get('file_name', '')} {self.chunk.title}"
        return 0 if FIRST_READ.search(name) else 2 if LAST_READ.search(name) else 1

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
    titled: set[str] = set()
    for chunk in chunks:
        lang = spoken[chunk.doc_id].most_common(1)[0][0]
        if lang not in TEMPLATES:
            continue
        for candidate in _of_chunk(chunk, lang):
            first = made.setdefault(candidate.question.casefold(), candidate)
            if first is not candidate and first.chunk.doc_id == chunk.doc_id:
                made[candidate.question.casefold()] = replace(first, continued=first.continued + candidate.places)
        if chunk.doc_id not in titled:
            titled.add(chunk.doc_id)
            asked = Candidate(about(chunk.title, lang), "title", lang, chunk, 0, len(chunk.text))
            made.setdefault(asked.question.casefold(), asked)
    return list(made.values())


def topic_of(chunk: Chunk) -> str | None:
    """The chunk's heading as a topic; None if it is generic or repeats the title."""
    return _topic(chunk.headings[-1], chunk.title) if chunk.headings else None


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
        if (
            topic is not None
            and len(topic) <= LONGEST_TOPIC
            and end - start >= CONTENT
            and (_is_whole(topic, lang) or not QUESTION.fullmatch(topic))
        ):
            kind: Kind = "asked" if QUESTION.fullmatch(topic) else "task" if TASKS[lang].fullmatch(topic) else "topic"
            yield Candidate(ask_topic(chunk.title, topic, lang), kind, lang, chunk, start, end)
    for i, block in enumerate(blocks):
        if block.kind == "table":
            yield from _of_table(chunk, block, lang)
        elif block.kind == "paragraph":
            yield from _of_paragraph(chunk, blocks[i:], lang)


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
        if (defined := DEFINITIONS[lang].match(block.text, begins.end())) and not NOT_DEFINED.search(defined[0]):
            yield Candidate(ask_definition(defined, lang), "definition", lang, chunk, *_span(block, defined))


def _is_whole(question: str, lang: str) -> bool:
    """Whether a question names what it is about."""
    return bool(content_terms(question, lang)) and not needs_rewriting(question, lang)


def _answers(block: _Block) -> bool:
    """Whether the block below a question can be its answer."""
    return block.kind in ("paragraph", "list") and len(block.text) >= CONTENT and not block.text.endswith(("?", "？"))


def _span(block: _Block, found: re.Match[str]) -> tuple[int, int]:
    return block.start + found.start(), block.start + found.end()


def _of_table(chunk: Chunk, block: _Block, lang: str) -> Iterator[Candidate]:
    """Questions for cells of a table whose first column names its rows."""
    lines = block.text.splitlines()
    if len(lines) < 3 or not RULE.fullmatch(lines[1].strip()):
        return
    columns, rows = _cells(lines[0]), [_cells(line) for line in lines[2:]]
    names = [row[0] for row in rows]
    tasks, task = TASK_COLUMNS[lang]
    if columns[0].lower() in tasks:
        for line, name in zip(lines[2:], names, strict=True):
            if task.fullmatch(name):
                yield Candidate(
                    HOW_TO[lang].format(task=name), "task", lang, chunk, (at := block.start + block.text.index(line)), at + len(line)
                )
        return
    if len(rows) == 1 or not all(columns[1:]) or not OF_CONTENTS.isdisjoint(map(str.lower, columns)):
        return  # cut out of a sheet, or a table of contents
    if len(set(names)) < len(names) or any(len(row) != len(columns) for row in rows) or not all(_names(name, lang) for name in names):
        return
    at, made = block.start + len(lines[0]) + len(lines[1]) + 2, 0
    for line, row in zip(lines[2:], rows, strict=True):
        for column, value in zip(columns[1:], row[1:], strict=True):
            if made < CELLS_OF_A_TABLE and _is_column(column, lang) and any(map(str.isalnum, value)):
                made += 1
                yield Candidate(ask_cell(column, row[0], value, lang), "fact", lang, chunk, at, at + len(line))
                break
        at += len(line) + 1


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _names(cell: str, lang: str) -> bool:
    """Whether a cell is a name: a few words, in Latin script with a capital."""
    few = PLAIN.fullmatch(cell) is not None and len(cell.split()) <= 5 and CODE.search(cell) is None
    return few and (lang == "ko" or cell[0].isupper())


def _is_column(cell: str, lang: str) -> bool:
    """Whether a column's name is a noun, as far as a list of words can tell."""
    if EXPLAINING.fullmatch(cell.lower()):
        return True
    first = cell.split(" ")[0].lower()
    few = PLAIN.fullmatch(cell) is not None and len(cell.split()) <= 3 and CODE.search(cell) is None
    return few and first not in (STOP_WORDS[lang] | QUESTION_WORDS[lang]) - NOUNS
