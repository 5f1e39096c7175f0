"""Finds pairs of question and answer in a document, each of which becomes a passage of its own.

By the page's markup (`Parsed.pairs`), by marks (“Q: … A: …”, “Frage: … Antwort: …”, “문: … 답: …”), by headings that ask, and by short
paragraphs that ask where several of them are answered one after the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

from footnote.text.tokens import content_terms, count_tokens
from footnote.text.words import ANSWER_MARK, QUESTION_MARK
from footnote.types import MAILS, Block, Pair, Parsed

LONGEST = 300
"""Characters of a question."""
SHORTEST = 15
"""Characters of an answer."""
LEAST = 3
"""Pairs of unmarked paragraphs below one heading; fewer may be a rhetorical question."""
MOST_BLOCKS = 4
"""Blocks of an answer to an unmarked paragraph."""

MARKED = re.compile(rf"\s*{QUESTION_MARK}\s*(?=\S)", re.IGNORECASE)
ANSWERED = re.compile(rf"(?:^|[\n?？])[^\S\n]*{ANSWER_MARK}\s*\S", re.IGNORECASE)
BEGINS_WITH_ANSWER = re.compile(rf"\s*{ANSWER_MARK}\s*\S", re.IGNORECASE)
NEXT = re.compile(rf"\n(?={QUESTION_MARK}\s*\S)", re.IGNORECASE)
NEXT_IN_LINE = re.compile(rf"(?<=[.!?)…다요])\s+(?={QUESTION_MARK}\s*\S)")
"""After the end of a sentence, in a block that begins with a question: lines are joined in Markdown and in PDF files."""
ENDS_WITH_QUESTION = re.compile(r"[?？][\"”’)*_]*\s*$")
MARKUP = "*_# "
NUMBER = re.compile(r"^\d{1,2}(?:\.\d{1,2})*[.)]?\s+")


def split_questions(parsed: Parsed) -> Parsed:
    """The document with a block for each marked question, where one block has several."""
    if parsed.pairs or parsed.records:
        return parsed
    blocks = tuple(part for block in parsed.blocks for part in _split(block))
    return replace(parsed, blocks=blocks) if len(blocks) > len(parsed.blocks) else parsed


def _split(block: Block) -> Iterator[Block]:
    if block.kind not in ("paragraph", "list"):
        yield block
        return
    between = NEXT_IN_LINE if MARKED.match(block.text) and ANSWERED.search(block.text) else NEXT
    starts = [match.end() for match in between.finditer(block.text)]
    if not starts:
        yield block
        return
    for start, end in zip([0, *starts], [*starts, len(block.text)], strict=True):
        if text := block.text[start:end].rstrip():
            inside = [place for place in block.places if start <= place.offset < end]
            before = [place for place in block.places if place.offset < start][-1:] if not inside or inside[0].offset > start else []
            places = tuple(place._replace(offset=max(place.offset - start, 0)) for place in (*before, *inside))
            yield replace(block, text=text, places=places, page=places[0].page if places else block.page)


def find_pairs(parsed: Parsed, lang: str, max_tokens: int) -> list[Pair]:
    """The pairs that fit into a passage each, in their order; none overlap."""
    blocks = parsed.blocks
    found: list[Pair] = []
    taken = bytearray(len(blocks))
    size = cache(lambda at: count_tokens(blocks[at].text) + 1)
    for pair in (*parsed.pairs, *_marked(blocks), *_asking_headings(blocks, lang), *_asking_paragraphs(blocks, lang)):
        # The end of a very long file is left out. Every block has a token at least.
        if pair.end > len(blocks) or pair.end - pair.first > max_tokens or 1 in taken[pair.first : pair.end]:
            continue
        if sum(map(size, range(pair.first, pair.end))) <= max_tokens:
            found.append(pair)
            taken[pair.first : pair.end] = b"\1" * (pair.end - pair.first)
    return sorted(found)


def is_faq(parsed: Parsed, pairs: Sequence[Pair]) -> bool:
    """Whether most of the document is pairs. Only then is a question answered with a pair's words, past the model and its checks:
    elsewhere, what looks like a pair may be an example, a quote or an interview. Whoever writes a mail has no say in that."""
    if parsed.format in MAILS:
        return False
    return 2 * sum(len(block.text) for pair in pairs for block in parsed.blocks[pair.first : pair.end]) > sum(
        len(block.text) for block in parsed.blocks
    )


def _marked(blocks: Sequence[Block]) -> Iterator[Pair]:
    starts = [i for i, block in enumerate(blocks) if block.kind not in ("table", "code") and MARKED.match(block.text)]
    for i, start in enumerate(starts):
        following = starts[i + 1] if i + 1 < len(starts) else len(blocks)
        heading = next((at for at in range(start + 1, following) if blocks[at].kind == "heading"), following)
        own, below = blocks[start].text, blocks[start + 1].text if start + 1 < heading else ""
        in_block = ANSWERED.search(own) is not None
        if not in_block and not BEGINS_WITH_ANSWER.match(below) and not (ENDS_WITH_QUESTION.search(own) and len(below) >= SHORTEST):
            continue
        if len(own) > LONGEST and not in_block:
            continue
        is_followed = heading == following < len(blocks)
        yield Pair(start, following if is_followed else _least_end(blocks, start if in_block else start + 1, heading))


def _least_end(blocks: Sequence[Block], last: int, most: int) -> int:
    """Where an answer ends that nothing follows which would end it: with its block, and a list or table that it introduces."""
    introduces = blocks[last].text.rstrip().endswith((":", "："))
    return last + 2 if introduces and last + 1 < most and blocks[last + 1].kind in ("list", "table", "code") else last + 1


def _asking_headings(blocks: Sequence[Block], lang: str) -> Iterator[Pair]:
    headings = [i for i, block in enumerate(blocks) if block.kind == "heading"]
    for i, start in enumerate(headings):
        end = headings[i + 1] if i + 1 < len(headings) else len(blocks)
        has_subheadings = end < len(blocks) and blocks[end].level > blocks[start].level
        if (
            not has_subheadings
            and _asks(blocks[start].text, lang)
            and sum(len(block.text) for block in blocks[start + 1 : end]) >= SHORTEST
        ):
            yield Pair(start, end)


def _asking_paragraphs(blocks: Sequence[Block], lang: str) -> Iterator[Pair]:
    group: list[Pair] = []
    start: int | None = None
    for i, block in enumerate([*blocks, Block("heading", "")]):
        asks = block.kind == "paragraph" and _asks(block.text, lang) and block.text.strip(MARKUP)[0].isalpha()  # no speech
        if start is not None and (asks or block.kind == "heading"):
            end = i if asks else _least_end(blocks, min(start + 1, i - 1), i)
            answer = blocks[start + 1 : end]
            if answer and len(answer) <= MOST_BLOCKS and sum(len(each.text) for each in answer) >= SHORTEST:
                group.append(Pair(start, end))
            start = None
        if block.kind == "heading":
            yield from group if len(group) >= LEAST else ()
            group = []
        elif asks:
            start = i


def _asks(text: str, lang: str) -> bool:
    """Whether a heading or a paragraph is one whole question."""
    said = NUMBER.sub("", text.strip(MARKUP))
    if len(said) > LONGEST or not ENDS_WITH_QUESTION.search(said) or re.search(r"[.!?？]\s+\S", said):
        return False
    return len(said.split()) >= (2 if lang == "ko" else 3) and bool(content_terms(said, lang))
