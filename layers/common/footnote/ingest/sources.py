"""Opens a document's original file and text, and locates cited passages in them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from footnote.errors import NotFound
from footnote.ingest.keys import parsed_key, source_key
from footnote.ingest.parsed import unpack
from footnote.ports import Files, Index, Ledger
from footnote.types import Block, Caller, Chunk, Document, Parsed, Place, make_chunk_id

Bounds = tuple[int, int]
LINK_S = 300.0
"""Validity of a link to a file; it outlives the document if that is deleted."""
FIRST_SQUARE = "\u1100"
"""From Hangul on, characters are treated as one em wide."""
_NARROW, _WIDE = frozenset(" iljtfrI.,;:'’‘|!()[]-"), frozenset("mwMW@%—…")
ORDINAL = re.compile(r"[0-9]{1,9}")


class Mark(NamedTuple):
    """A range of characters in a block's text. `bound`: index of the requested bounds that it belongs to."""

    block: int
    start: int
    end: int
    bound: int = 0


class Box(NamedTuple):
    """A part of a line on a page, in points from the upper left corner of the displayed page. `bound`: as in `Mark`."""

    page: int
    x0: float
    y0: float
    x1: float
    y1: float
    bound: int = 0


@dataclass(frozen=True, slots=True)
class Passage:
    """The location of a passage. `quote`: its current text at the requested bounds."""

    quote: str
    marks: tuple[Mark, ...]
    boxes: tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class Sources:
    """Opens documents. Every read takes the caller: a document that may not be found may not be opened either."""

    ledger: Ledger
    files: Files
    index: Index

    async def original(self, caller: Caller, doc_id: str) -> tuple[Document, bytes]:
        """The original file; while a new generation is processed, that of the active one."""
        document = await self.ledger.get(caller, doc_id)
        return document, await self.files.get(_current(document))

    async def link(self, caller: Caller, doc_id: str, above: int, describe: Callable[[Document], Mapping[str, str]]) -> str | None:
        """A URL of the original file for a browser; None if there is none or the file has at most `above` bytes.

        `describe`: returns its `content_type` and `disposition`."""
        document = await self.ledger.get(caller, doc_id)
        return await self.files.link(_current(document), LINK_S, **describe(document)) if document.size > above else None

    async def text(self, caller: Caller, doc_id: str) -> tuple[Document, Parsed]:
        """The parsed text; NotFound if the document has not been parsed yet."""
        document = await self.ledger.get(caller, doc_id)
        packed = await self.files.get(parsed_key(document.doc_id, document.active_generation))
        return document, await asyncio.to_thread(unpack, packed)

    async def description(self, caller: Caller, document: Document) -> str | None:
        """The `additional_field` that was made of the active generation, or given; None if there is none."""
        chunks = await self.index.read(caller, [make_chunk_id(document.doc_id, document.active_generation, 0)])
        made = chunks[0].metadata.get("additional_field") if chunks else None
        return made if isinstance(made, str) else None

    async def passage(self, caller: Caller, document: Document, parsed: Parsed, chunk_id: str, bounds: Sequence[Bounds]) -> Passage:
        """Locates a passage at these bounds; without bounds, all of it."""
        return locate(await self.chunk(caller, document, chunk_id), parsed.blocks, bounds)

    async def chunk(self, caller: Caller, document: Document, chunk_id: str) -> Chunk:
        """The chunk with a citation's id, `DOC#003`. NotFound if the active generation has none."""
        doc_id, _, ordinal = chunk_id.rpartition("#")
        if doc_id != document.doc_id or not ORDINAL.fullmatch(ordinal):
            raise NotFound("This document has no such passage.")
        chunks = await self.index.read(caller, [make_chunk_id(doc_id, document.active_generation, int(ordinal))])
        if not chunks:
            raise NotFound("This passage is no longer in the document.")
        return chunks[0]


def _current(document: Document) -> str:
    return source_key(document.doc_id, document.active_generation or document.generation)


def locate(chunk: Chunk, blocks: Sequence[Block], bounds: Sequence[Bounds] = ()) -> Passage:
    """Marks and boxes of a chunk at these bounds; without bounds, of all of it."""
    bounds = bounds or [(0, len(chunk.text))]
    marks = tuple(mark._replace(bound=i) for i, (start, end) in enumerate(bounds) for mark in _marks(chunk, blocks, start, end))
    boxes = tuple(box for mark in marks for box in _boxes(blocks[mark.block], mark))
    return Passage(" ".join(chunk.text[start:end] for start, end in bounds), marks, boxes)


def _marks(chunk: Chunk, blocks: Sequence[Block], start: int, end: int) -> Iterator[Mark]:
    ends = [part.offset for part in chunk.parts[1:]] + [len(chunk.text)]
    for part, until in zip(chunk.parts, ends, strict=True):
        first, last = max(start, part.offset), min(end, until)
        if first >= last or not 0 <= part.block < len(blocks):
            continue
        text = blocks[part.block].text
        begin = part.start + first - part.offset
        stop = min(begin + last - first, len(text))  # the rest is the space between blocks
        if text[begin:stop].strip():
            yield Mark(part.block, begin, stop)


def _boxes(block: Block, mark: Mark) -> Iterator[Box]:
    """The boxes of a mark. A partly marked line is cut by estimated character widths; a table row is marked as a whole."""
    after = Place(len(block.text), 0, 0, 0, 0, 0)
    for place, following in pairwise((*block.places, after)):
        first, last = max(mark.start, place.offset), min(mark.end, following.offset)
        if first >= last or not block.text[first:last].strip():
            continue
        x0, x1 = place.x0, place.x1
        if block.kind != "table":
            line = block.text[place.offset : following.offset].rstrip()
            scale = (place.x1 - place.x0) / _width(line)
            x0 = place.x0 + scale * _width(line[: first - place.offset])
            x1 = place.x0 + scale * _width(line[: last - place.offset])
        yield Box(place.page, round(x0, 1), place.y0, round(x1, 1), place.y1, mark.bound)


def _width(text: str) -> float:
    """Estimated width in em, accurate enough to start a mark between two words."""
    return sum(0.28 if c in _NARROW else 0.8 if c in _WIDE else 1.0 if c >= FIRST_SQUARE else 0.66 if c.isupper() else 0.5 for c in text)
