"""The excerpts of a passage: the parts that a reader would quote whole. Pure functions of the passage and the bounds of its sentences.

A paragraph, a list with its introduction, a table, a block of code. Of a paragraph up to AROUND sentences around the answering one are
shown; a list whole up to ITEMS items; of a longer one, and of a table, the items and rows that answer. The omitted parts of a block are
counted."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import groupby

from footnote.text.sentences import looks_like_heading
from footnote.types import Chunk, Excerpt, ExcerptKind
from footnote.types.copies import replace

Bounds = Sequence[tuple[int, int]]
ITEMS = 12
"""Items, rows or steps of a list that is shown whole."""
AROUND = 3
"""Sentences of a paragraph."""
LONGEST = 1500
"""Characters of a list or a table that is shown whole."""
WORDS = 60
"""Of a paragraph, beyond which no sentence is added."""
ITEM = re.compile(r"(?:[-*•◦▪]|\d{1,3}[.)]|[a-zA-Z][.)])\s")
ANNOUNCES = re.compile(r"\b(?:below|following|as follows|folgende[nrsm]?|nachstehende[nrsm]?|unten)\b|다음|아래", re.IGNORECASE)
TABLE_HEAD = re.compile(r"\|.*\|\n\|(?: ?:?-+:? ?\|)+")
KINDS: dict[str | None, ExcerptKind] = {"list": "list", "table": "table", "code": "code", "caption": "caption", "image": "caption"}


@dataclass(frozen=True, slots=True)
class Blocks:
    """A passage's blocks in order: their whole excerpts, and for each sentence its block; None = it is a heading or the head of a table."""

    chunk: Chunk
    bounds: Bounds
    blocks: tuple[Excerpt, ...]
    of: dict[int, int]
    """Number of a sentence → place in `blocks`. The introduction of a block belongs to its own paragraph."""

    def text(self, number: int) -> str:
        """A sentence."""
        start, end = self.bounds[number]
        return self.chunk.text[start:end]

    def items(self, block: Excerpt) -> list[list[int]]:
        """The sentences of each item, row, or sentence of a block."""
        if block.kind != "list":
            return [[number] for number in block.numbers]
        items: list[list[int]] = []
        for number in block.numbers:
            if not items or ITEM.match(self.text(number)):
                items.append([])
            items[-1].append(number)
        return items

    def count(self, items: Sequence[Sequence[int]]) -> int:
        """How many items these are: several short ones may be one sentence."""
        further = (line.lstrip() for item in items for number in item for line in self.text(number).split("\n")[1:])
        return len(items) + sum(ITEM.match(line) is not None for line in further)


def blocks_of(chunk: Chunk, bounds: Bounds) -> Blocks:
    """The blocks of a passage."""
    blocks: list[Excerpt] = []
    of: dict[int, int] = {}
    kinds = [_kind(chunk, bounds, number) for number in range(len(bounds))]
    before: tuple[str, int] | None = None
    for key, group in groupby(range(len(bounds)), key=kinds.__getitem__):
        kind = key[0]
        numbers = tuple(group)
        if kind in ("heading", "head"):
            before = None if kind == "heading" else before
            continue
        if blocks and kind in ("list", "code") and before and before[0] in ("list", "code") and numbers[0] == blocks[-1].numbers[-1] + 1:
            numbers = (*blocks[-1].numbers, *numbers)  # steps with code between them, or a list with empty lines
            kind = "list" if "list" in (kind, blocks[-1].kind) else "code"
            blocks.pop()
        lead = _lead(chunk, bounds, kinds, numbers[0]) if not blocks or numbers[0] != blocks[-1].numbers[0] else blocks[-1].lead
        start, end = bounds[(*lead, *numbers)[0]][0], bounds[numbers[-1]][1]
        of |= dict.fromkeys(numbers, len(blocks))
        blocks.append(Excerpt(chunk.chunk_id, len(blocks), KINDS.get(kind, "paragraph"), lead, numbers, start, end))
        before = key
    return Blocks(chunk, bounds, tuple(blocks), of)


def _kind(chunk: Chunk, bounds: Bounds, number: int) -> tuple[str, int]:
    """(kind of the block that a sentence is in, heading or head for what begins one; number of the block in its file)."""
    start, end = bounds[number]
    part = next((part for part in reversed(chunk.parts) if part.offset <= start), None)
    kind = part.kind if part else None
    if kind == "heading" or (kind in (None, "paragraph") and looks_like_heading(chunk.text, start, end)):
        return "heading", start
    if kind != "code" and chunk.text.startswith("|", start):
        return ("head" if is_table_head(chunk.text, start, end) else "table"), chunk.text.count("\n\n", 0, start)
    if part is not None and part.block >= 0:
        return kind or "paragraph", part.block
    begins = chunk.text.rfind("\n", 0, start) + 1
    return ("list" if ITEM.match(chunk.text[begins:end].lstrip()) else "paragraph"), chunk.text.count("\n\n", 0, start)


def is_table_head(text: str, start: int, end: int) -> bool:
    """Whether text[start:end] is the head of a table, or in it."""
    paragraph = start - len(text[:start].rsplit("\n\n", 1)[-1])
    head = TABLE_HEAD.match(text, paragraph)
    return head is not None and end <= head.end()


def _lead(chunk: Chunk, bounds: Bounds, kinds: Sequence[tuple[str, int]], first: int) -> tuple[int, ...]:
    """The sentence before a block if it introduces it: “To build it, run:”, a question, the caption of a table."""
    before = first - 1
    while before >= 0 and kinds[before][0] == "head":
        before -= 1
    if before < 0 or kinds[before][0] in ("heading", "list", "table", "code"):
        return ()
    is_block = kinds[first][0] in ("list", "table", "code")
    text = chunk.text[slice(*bounds[before])]
    introduces = is_block if kinds[before][0] == "caption" else text.endswith(("?", "？")) or announces(text, is_block)
    return (before,) if introduces else ()


def announces(text: str, block_follows: bool) -> bool:
    """Whether a sentence introduces the following text. `block_follows`: a list, code or a table does."""
    return text.endswith((":", "：")) or (block_follows and ANNOUNCES.search(text) is not None)


def cut(blocks: Blocks, best: int, answering: Collection[int], *, whole: bool) -> Excerpt | None:
    """The excerpt around the sentence `best`; None if it belongs to none. `answering`: the sentences that answer, `best` among them, unless
    it introduces the block; `whole`: several items or steps are asked for."""
    place = blocks.of.get(best)
    if place is None:
        return None
    block = blocks.blocks[place]
    following = blocks.blocks[place + 1] if place + 1 < len(blocks.blocks) else None
    if following is not None and following.lead == (best,):
        block = following
    if block.kind in ("paragraph", "caption"):
        excerpt = _around(blocks, block, best)
        if following is None or following.kind == "paragraph" or following.lead != excerpt.numbers[-1:]:
            return excerpt
        block, whole = replace(following, lead=excerpt.numbers, start=excerpt.start), True  # it ends with what introduces a list
    items = blocks.items(block)
    answering_items = [item for item in items if not set(answering).isdisjoint(item)]
    is_short = blocks.count(items) <= ITEMS and block.end - block.start <= LONGEST
    if is_short and (block.kind != "table" or whole or not answering_items):
        return block
    answering_items = _first(
        blocks, items if whole or not answering_items else answering_items, next((item for item in items if best in item), None)
    )
    return _only(blocks, block, items, _with_parents(blocks, items, answering_items))


def _first(blocks: Blocks, items: Sequence[list[int]], best: list[int] | None) -> list[list[int]]:
    """As many of the first items as are shown, and the best one."""
    length, shown = 0, list[list[int]]()
    for item in items:
        length += blocks.bounds[item[-1]][1] - blocks.bounds[item[0]][0]
        if shown and (length > LONGEST or blocks.count([*shown, item]) > ITEMS):
            break
        shown.append(item)
    return shown if best is None or best in shown else [*shown[: ITEMS - 1], best]


def _with_parents(blocks: Blocks, items: Sequence[list[int]], chosen: Sequence[list[int]]) -> list[list[int]]:
    """These items, and the items of outer lists above them, in order."""

    def indent(item: list[int]) -> int:
        start = blocks.bounds[item[0]][0]
        return start - blocks.chunk.text.rfind("\n", 0, start)

    places = {items.index(item) for item in chosen}
    for at in sorted(places):
        level = indent(items[at])
        for outer in range(at - 1, -1, -1):
            if indent(items[outer]) < level:
                level = indent(items[outer])
                places.add(outer)
    return [items[at] for at in sorted(places)]


def _only(blocks: Blocks, block: Excerpt, items: Sequence[list[int]], chosen: Sequence[list[int]]) -> Excerpt:
    """The block with these items alone."""
    before = blocks.count(items[: items.index(chosen[0])])
    end = blocks.bounds[chosen[-1][-1]][1]
    start = block.start if block.lead else blocks.bounds[chosen[0][0]][0]
    numbers = tuple(number for item in chosen for number in item)
    return replace(
        block, numbers=numbers, start=start, end=end, more_before=before, more_after=blocks.count(items) - before - blocks.count(chosen)
    )


def _around(blocks: Blocks, block: Excerpt, best: int) -> Excerpt:
    """Up to AROUND sentences of a paragraph: around one of them, or the first ones after what introduces it."""
    first = last = block.numbers.index(best) if best in block.numbers else 0
    words = len(blocks.text(block.numbers[first]).split())

    def fits(at: int) -> bool:
        return 0 <= at < len(block.numbers) and last - first + 1 < AROUND and words + len(blocks.text(block.numbers[at]).split()) <= WORDS

    for step in (1, -1, 1, -1):
        at = last + 1 if step == 1 else first - 1
        if fits(at):
            words += len(blocks.text(block.numbers[at]).split())
            first, last = min(first, at), max(last, at)
    numbers = block.numbers[first : last + 1]
    lead = block.lead if first == 0 else ()
    start = blocks.bounds[(*lead, *numbers)[0]][0]
    return replace(
        block, lead=lead, numbers=numbers, start=start, end=blocks.bounds[numbers[-1]][1], more_before=first,
        more_after=len(block.numbers) - last - 1,
    )  # fmt: skip
