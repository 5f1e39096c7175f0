"""`Document`, the `Block`s of its parsed file and the `Chunk`s in the index."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

ChunkLevel = Literal[0, 1, 2]
"""0 = the document's outline, 1 = the opening of a section, 2 = a passage (the level that is cited)."""

DocumentState = Literal["RECEIVED", "PROCESSING", "READY", "FAILED", "DELETED"]

DescribedBy = Literal["patterns", "waiting", "model"]
"""The author of a document's description. waiting: patterns wrote it, and a model is to follow."""

RESTORABLE_S = 3600.0
"""For how long a deleted document or collection can be restored."""

WORDED_LANGUAGES = ("en", "de", "ko")
"""Languages of prompts, messages and patterns. In any other language a pattern decides nothing."""
UNKNOWN_LANGUAGE = "und"
"""ISO 639 code of a text whose language cannot be detected, such as a list of names."""

BlockKind = Literal["heading", "paragraph", "list", "table", "caption", "code", "image", "metadata"]
"""metadata: what a file says of itself rather than in its text, such as the sender and the date of a mail, in lines `name: value`."""

ContentType = Literal["text", "faq", "reference", "contents", "credits"]
"""The type of a passage. faq: one question with its answer. reference: a glossary, an index or a list of references. contents: a table of
contents. credits: the makers of images, or the publisher. text: anything else."""


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of a parsed file, in reading order. `text` of a table is Markdown with its header row."""

    kind: BlockKind
    text: str
    level: int = 0
    """Depth of a heading, 1 = topmost; 0 for everything else."""
    page: int | None = None
    """The page of a PDF or of a text with page breaks; the number of a slide or a sheet."""
    places: tuple[Place, ...] = ()
    """The positions of its lines on their pages, in the order of the text; () = unknown."""


class Place(NamedTuple):
    """The position of a line of a block: from `offset` in the block's text until the next place. The box is in points from the
    upper left corner of the displayed page. A tuple, because a long file has tens of thousands."""

    offset: int
    page: int
    x0: float
    y0: float
    x1: float
    y1: float
    confidence: float | None = None
    """0..1 of a line that OCR read; None = it is text in the file."""


class Pair(NamedTuple):
    """A question and its answer: the blocks from index `first` until before `end`."""

    first: int
    end: int


class FileWithin(NamedTuple):
    """A file within another one: attached to a PDF, or embedded in an Office file. `page`: the one that it stands on, as in `Block.page`;
    None = unknown, or on none."""

    name: str
    content: bytes
    page: int | None = None


class Scans(NamedTuple):
    """The numbers of the pages that OCR may read, and what `Parsed.reason` says of them."""

    pages: tuple[int, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Parsed:
    """A parsed file. `reason`, `remedy`: the unreadable parts, e.g. scanned pages, and what the user can do."""

    blocks: tuple[Block, ...]
    title: str = ""
    pages: int | None = None
    format: str = ""
    """The format it was parsed as: a key of `footnote.ingest.parse.FORMATS`."""
    reason: str | None = None
    remedy: str | None = None
    pairs: tuple[Pair, ...] = ()
    """Questions with their answers that the file's markup names."""
    records: tuple[int, ...] = ()
    """The blocks with which the mails of a mailbox begin."""
    fields: Mapping[str, Any] = field(default_factory=dict)
    """What the file says of itself beside its text: name → a text, or a list of texts. Searches can filter by it."""
    scans: Scans | None = None
    """Only between a parser and OCR."""
    files: tuple[FileWithin, ...] = ()
    """Only between the parser of a format and `footnote.ingest.parse.parse`, which reads them too."""


class Part(NamedTuple):
    """A range of a chunk's text, from `offset` until the next part, and its source in the file."""

    offset: int
    page: int | None
    block: int
    """The index of the block in its file, from 0; -1 = text added by the chunker, e.g. a path of headings."""
    start: int
    """Offset of the part in the block's text."""
    kind: BlockKind | None = None
    """The kind of the block; None if it was not stored."""


Unit = Literal["page", "slide", "sheet"]
MAILS = frozenset(("eml", "msg", "mbox"))
"""Formats of mails, as in `Parsed.format` and in the metadata's `type`."""
UNITS: Mapping[str, Unit] = {
    "pptx": "slide",
    "ppt": "slide",
    "odp": "slide",
    "fodp": "slide",
    "sxi": "slide",
    "xlsx": "sheet",
    "xls": "sheet",
    "xlsb": "sheet",
    "ods": "sheet",
    "fods": "sheet",
    "sxc": "sheet",
    "excelml": "sheet",
}
"""File extension or format → what `page` counts in such a file, if not pages."""
EXTERNAL_IDS = ("mcp|", "kdb|")
"""Prefixes of the ids of passages that were found by external systems, whose permissions are not known here."""


@dataclass(frozen=True)
class Chunk:
    """A passage as the index stores it, with the id `doc_id|generation|ordinal`; or one of an external system (see EXTERNAL_IDS)."""

    chunk_id: str
    doc_id: str
    generation: int
    ordinal: int
    level: ChunkLevel
    title: str
    text: str
    lang: str
    collection: str
    headings: tuple[str, ...] = ()
    page: int | None = None
    """The page on which it begins."""
    parts: tuple[Part, ...] = ()
    """The sources of `text`: a passage may span several blocks and pages."""
    kind: BlockKind = "paragraph"
    content_type: ContentType = "text"
    """Decided when the document was read."""
    questions: tuple[str, ...] = ()
    """Questions that it answers, written by a model: their words are searched with those of `text`. `Index.read` never returns them, so
    that nothing can show or cite them; copies of an index read them by `Index.questions`."""
    permission_groups: frozenset[str] = frozenset()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    created_at: float = 0.0
    file_label: str = ""
    """The file's name, if another document that the reader may read has the same title. Not stored: it depends on the reader."""

    @property
    def shown_title(self) -> str:
        """The title, with the file's name in brackets where the title alone is ambiguous."""
        return f"{self.title} ({self.file_label})" if self.file_label else self.title

    def page_at(self, offset: int) -> int | None:
        """The page of the character at `offset`."""
        return next((part.page for part in reversed(self.parts) if part.offset <= offset), self.page)

    def kind_at(self, offset: int) -> BlockKind | None:
        """The kind of the block that contains the character at `offset`."""
        return next((part.kind for part in reversed(self.parts) if part.offset <= offset), None)

    @property
    def searched_text(self) -> str:
        """The text whose words are searched."""
        return "\n".join((self.text, *self.questions))

    @property
    def paragraph_type(self) -> str:
        """The content type as APIs show it, or what the document's sender set instead; “normal” for any other text."""
        return str(self.metadata.get("paragraph_type") or ("normal" if self.content_type == "text" else self.content_type))

    @property
    def unit(self) -> Unit:
        """The unit of `page`, by the file's extension, or by its format if the extension does not decide (Excel's .xml)."""
        extension = str(self.metadata.get("file_name", "")).rpartition(".")[2].lower()
        return UNITS.get(extension) or UNITS.get(str(self.metadata.get("type")), "page")

    def section_at(self, offset: int) -> str | None:
        """The heading above the character at `offset`; in a spreadsheet, the name of the sheet. None = there is none, or the
        passage spans several and does not show which one applies."""
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
        """The id shown by APIs, `DOC#000`; it does not change with the generation."""
        return f"{self.doc_id}#{self.ordinal:03d}"


def make_chunk_id(doc_id: str, generation: int, ordinal: int) -> str:
    """The index's id of a chunk."""
    return f"{doc_id}|{generation}|{ordinal}"


def chunks_digest(chunks: Iterable[tuple[str, str]]) -> str:
    """SHA-256 over (chunk id, text) in the order of the ordinals. It verifies that the index contains the chunks that were to be stored."""
    sha = hashlib.sha256()
    for chunk_id, text in chunks:
        sha.update(f"{chunk_id}\0{text}\0".encode())
    return sha.hexdigest()


@dataclass(frozen=True, slots=True)
class Document:
    """One row of the ledger: a source file and its processing state."""

    doc_id: str
    title: str
    collection: str
    file_name: str
    state: DocumentState
    content_hash: str
    size: int
    permission_groups: frozenset[str]
    generation: int = 0
    """The newest generation, finished or not; counts from 1, 0 = none yet."""
    active_generation: int = 0
    """The generation that searches read; 0 = none."""
    reason: str | None = None
    """FAILED: why. READY: which parts could not be read."""
    remedy: str | None = None
    pages: int | None = None
    chunks: int = 0
    lang: str | None = None
    format: str = ""
    """The format it was parsed as: a key of `footnote.ingest.parse.FORMATS`; "" = not parsed yet."""
    cut: str = ""
    """How its passages were made, as `ingest.chunk.cut_name` writes it; "" = unknown, or as its sender chose."""
    digest: str = ""
    """`N:SHA-256`: the number of chunks of all levels that the index must contain, and their `chunks_digest`."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    words: str = ""
    """FAILED: the most frequent words of the readable part of its text."""
    described_by: DescribedBy = "patterns"
    owner: str = ""
    """The user who added it first; "" = nobody in particular, as in `Caller.owner`."""
    created_at: float = 0.0
    updated_at: float = 0.0
