"""Completes excerpts cut off by the end of a passage, from the adjacent passages.

A long list, table or paragraph is stored in several passages. The part of its block in the passage before or after is joined to the
passage's text, as if it had been cut elsewhere, and the excerpt is taken again. Citations stay those of the passage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from footnote.answer.choose import Quote, is_same
from footnote.answer.excerpts import blocks_of, cut
from footnote.ports import Index
from footnote.text.sentences import split_sentences
from footnote.types import EXTERNAL_IDS, Chunk, Part, Turn, make_chunk_id

GLUE = {"paragraph": " ", "caption": " "}
"""Between the parts of a block; a line end for others."""


async def complete(quotes: Sequence[Quote], turn: Turn, index: Index) -> list[Quote]:
    """The quotes whose passages their reader may read now, each completed as far as the reader may read the adjacent passages. Passages of
    external systems are kept: their permissions are unknown."""
    beside = [_beside(quote) for quote in quotes]
    own = {quote.hit.chunk.chunk_id for quote in quotes if not quote.hit.chunk.chunk_id.startswith(EXTERNAL_IDS)}
    chunk_ids = sorted(own.union(filter(None, chain.from_iterable(beside))))
    read = {chunk.chunk_id: chunk for chunk in await index.read(turn.caller, chunk_ids)} if chunk_ids else {}
    gone = own - read.keys()
    completed: list[Quote] = []
    for quote, ids in zip(quotes, beside, strict=True):
        if quote.hit.chunk.chunk_id in gone:
            continue
        before, after = (read.get(chunk_id or "") for chunk_id in ids)
        whole = _completed(quote, before, after)
        if not any(is_same(whole, other) for other in completed):
            completed.append(whole)
    return completed


def _beside(quote: Quote) -> tuple[str | None, str | None]:
    """The ids of the passages before and after in which the block may go on."""
    chunk, block = quote.hit.chunk, quote.block
    if chunk.chunk_id.startswith(EXTERNAL_IDS) or not chunk.parts:
        return None, None
    before, after = (make_chunk_id(chunk.doc_id, chunk.generation, chunk.ordinal + by) for by in (-1, 1))
    is_last = block.numbers[-1] == len(quote.blocks.bounds) - 1
    return before if _is_cut(quote) and chunk.ordinal else None, after if is_last else None


def _is_cut(quote: Quote) -> bool:
    """Whether the block begins in the passage before."""
    first = _first_part(quote)
    return first.block >= 0 and first.start > 0 and first == next(part for part in quote.hit.chunk.parts if part.block == first.block)


def _first_part(quote: Quote) -> Part:
    at = quote.blocks.bounds[quote.block.numbers[0]][0]
    return next(part for part in reversed(quote.hit.chunk.parts) if part.offset <= at)


def _completed(quote: Quote, before: Chunk | None, after: Chunk | None) -> Quote:
    if before is None and after is None:
        return quote
    chunk, first, bounds = quote.hit.chunk, _first_part(quote), quote.blocks.bounds
    glue = GLUE.get(quote.block.kind, "\n")
    head, tail = _of_block(before, first.block, at_end=True), _of_block(after, first.block, at_end=False)
    if not head and not tail:
        return quote
    head, tail = head and head + glue, tail and glue + tail
    at, by, behind = first.offset, len(head), len(chunk.text) + len(head)
    added = [(start + at, end + at) for start, end in _split(head, quote)]
    bounds = [
        *((start, end) for start, end in bounds if start < at),
        *added,
        *((start + by, end + by) for start, end in bounds if start >= at),
        *((start + behind, end + behind) for start, end in _split(tail, quote)),
    ]
    parts = [part if part.offset < at else part._replace(offset=part.offset + by) for part in chunk.parts]
    if head:
        parts.insert(chunk.parts.index(first), first._replace(start=0))
    whole = replace(chunk, text=f"{chunk.text[:at]}{head}{chunk.text[at:]}{tail}", parts=tuple(parts))
    blocks = blocks_of(whole, bounds)
    excerpt = cut(
        blocks, quote.best.number + len(added), {sentence.number + len(added) for sentence in quote.marked}, whole=quote.best.introduces
    )
    return replace(quote, blocks=blocks, excerpt=excerpt) if excerpt else quote


def _of_block(chunk: Chunk | None, block: int, *, at_end: bool) -> str:
    """The part of the block at the end or the beginning of a passage; "" = none, or the passage may not be read."""
    if chunk is None:
        return ""
    ends = [*(part.offset for part in chunk.parts[1:]), len(chunk.text)]
    own = [(part.offset, end) for part, end in zip(chunk.parts, ends, strict=True) if part.block == block and (at_end or part.start > 0)]
    return chunk.text[own[0][0] : own[-1][1]].strip() if own else ""


def _split(text: str, quote: Quote) -> list[tuple[int, int]]:
    if quote.block.kind == "code":
        return [(len(text) - len(text.lstrip()), len(text.rstrip()))] if text.strip() else []
    return split_sentences(text, quote.hit.chunk.lang)
