"""From a file to passages: `Document`, its `Block`s, its `Chunk`s."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

Level = Literal[0, 1, 2]
"""0 = a document's outline, 1 = a section's opening, 2 = a passage (what is cited)."""

DocumentState = Literal["RECEIVED", "PROCESSING", "READY", "FAILED", "DELETED"]

UNKNOWN_LANGUAGE = "und"
"""Of a text that does not show its language, such as a list of names."""

BlockKind = Literal["heading", "paragraph", "list", "table", "caption", "code", "image"]


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of a parsed file, in reading order. `text` of a table is Markdown with its header row."""

    kind: BlockKind
    text: str
    level: int = 0
    """Depth of a heading, 1 = topmost; 0 for everything else."""
    page: int | None = None
    """Of a PDF or a text with page breaks; a slide's or a sheet's number."""
    places: tuple[Place, ...] = ()
    """Where its lines stand on their pages, in the order of the text; () = not known."""


class Place(NamedTuple):
    """A line of a block: from `offset` in the block's text until the next place. Its box in points from the
    upper left corner of the page as it is shown. A tuple: a long file has tens of thousands."""

    offset: int
    page: int
    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a parser makes of a file. `reason`, `remedy`: what of it could not be read, e.g. scanned pages."""

    blocks: tuple[Block, ...]
    title: str = ""
    pages: int | None = None
    format: str = ""
    """What it was read as: a key of `footnote.ingest.parse.FORMATS`."""
    reason: str | None = None
    remedy: str | None = None


class Part(NamedTuple):
    """A stretch of a chunk's text, from `offset` until the next part, and where it was taken from."""

    offset: int
    page: int | None
    block: int
    """The block's number in its file, from 0; -1 = these words are ours, e.g. a path of headings."""
    start: int
    """Where it begins in the block's text."""
    kind: BlockKind | None = None
    """The block's; None where the passage was stored without it."""


Unit = Literal["page", "slide", "sheet"]
UNITS: Mapping[str, Unit] = {"pptx": "slide", "ppt": "slide", "odp": "slide", "xlsx": "sheet", "xls": "sheet", "ods": "sheet"}
"""Ending of a file's name → what its `page` counts, where that is no page."""
OUTSIDE = ("mcp|", "kdb|")
"""What the ids of passages begin with that other systems' searches have found: nobody here knows their readers."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage as the index keeps it, with the id `doc_id|generation|ordinal`; or one from OUTSIDE."""

    chunk_id: str
    doc_id: str
    generation: int
    ordinal: int
    level: Level
    title: str
    text: str
    lang: str
    collection: str
    headings: tuple[str, ...] = ()
    page: int | None = None
    """Where it begins."""
    parts: tuple[Part, ...] = ()
    """What `text` is made of: a passage may hold several blocks and run over several pages."""
    kind: BlockKind = "paragraph"
    permission_groups: frozenset[str] = frozenset()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    created_at: float = 0.0

    def page_at(self, offset: int) -> int | None:
        """The page that holds the character at `offset`."""
        return next((part.page for part in reversed(self.parts) if part.offset <= offset), self.page)

    def kind_at(self, offset: int) -> BlockKind | None:
        """The kind of the block that the character at `offset` is from."""
        return next((part.kind for part in reversed(self.parts) if part.offset <= offset), None)

    @property
    def unit(self) -> Unit:
        """What `page` counts."""
        return UNITS.get(str(self.metadata.get("file_name", "")).rpartition(".")[2].lower(), "page")

    def section_at(self, offset: int) -> str | None:
        """The heading above the character at `offset`, of a spreadsheet the name of its sheet; None = there is none, or the
        passage runs over several and does not say which."""
        if self.unit != "sheet":
            return next((heading for heading in reversed(self.headings) if heading != self.title), None)
        if self.headings:
            return self.headings[0]
        ends = [part.offset for part in self.parts[1:]] + [len(self.text)]
        sheet = self.page_at(offset)
        name = next((self.text[part.offset : end].strip() for part, end in zip(self.parts, ends, strict=True) if part.page == sheet), "")
        return name if name and not name.startswith("|") else None

    @property
    def public_id(self) -> str:
        """The id that APIs show, `DOC#000`: it does not change with the generation."""
        return f"{self.doc_id}#{self.ordinal:03d}"


def make_chunk_id(doc_id: str, generation: int, ordinal: int) -> str:
    return f"{doc_id}|{generation}|{ordinal}"


def chunks_digest(chunks: Iterable[tuple[str, str]]) -> str:
    """SHA-256 over (chunk id, text) by ordinal: what was meant to be stored against what is there."""
    sha = hashlib.sha256()
    for chunk_id, text in chunks:
        sha.update(f"{chunk_id}\0{text}\0".encode())
    return sha.hexdigest()


@dataclass(frozen=True, slots=True)
class Document:
    """One row of the ledger: a source file and what became of it."""

    doc_id: str
    title: str
    collection: str
    file_name: str
    state: DocumentState
    content_hash: str
    size: int
    permission_groups: frozenset[str]
    generation: int = 0
    """The generation that is being made or was made last; counts from 1, 0 = none yet."""
    active_generation: int = 0
    """The generation that answers; 0 = none."""
    reason: str | None = None
    """Why it FAILED; of a READY one: what of it could not be read."""
    remedy: str | None = None
    pages: int | None = None
    chunks: int = 0
    lang: str | None = None
    format: str = ""
    """What it was read as: a key of `footnote.ingest.parse.FORMATS`; "" = not read yet."""
    digest: str = ""
    """How many chunks of all levels answer, and their `chunks_digest`, as `N:SHA-256`: what has to be in the index."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    created_at: float = 0.0
    updated_at: float = 0.0
