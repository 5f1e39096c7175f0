"""An archive of a collection: a ZIP file that is written and read document by document.

    manifest.json              Manifest, written last: an archive without it is not whole
    documents/N/document.json  DocumentEntry, with the SHA-256 of the document's other entries; N = 1, 2, …
    documents/N/chunks.jsonl   ChunkEntry, one a line, in order
    documents/N/vectors.bin    for each chunk that has vectors: its own as float32, then those of its sentences as int8, little-endian
    documents/N/source         the file
    documents/N/parsed         its text, as `footnote.ingest.parsed.pack` writes it

Nothing is ever extracted to a path: entries have names of ours, and whatever else an archive contains is an error. No more is read of
an entry than the limits allow, whatever its header says.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from footnote.errors import BadRequest
from footnote.ingest.questions_by_model import LONGEST
from footnote.ingest.questions_by_model import MOST as MOST_QUESTIONS
from footnote.types import BlockKind, ContentType, KnowledgeKind, Maker, Part
from footnote.types.voices import Role

FORMAT, VERSION = "footnote-collection", 1
PARTS = ("document.json", "chunks.jsonl", "vectors.bin", "source", "parsed")
MOST_MANIFEST = 1 * 2**20
MOST_PART = 512 * 2**20
"""Maximum bytes of an entry. Of files, the operator's own limit counts (INGEST__MAX_FILE_MB)."""


Question = Annotated[str, Field(max_length=LONGEST)]


class Damaged(BadRequest):
    """An archive cannot be imported."""

    def __init__(self, why: str) -> None:
        super().__init__(f"This archive cannot be imported: {why}")


class Entry(BaseModel):
    """The base of every part of an archive: unknown fields make it unreadable, rather than being lost."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class EmbedderEntry(Entry):
    """The embedder of the vectors in an archive."""

    name: str
    dimension: int = Field(ge=1, le=100_000)
    recipe: int


class Counts(Entry):
    """The size of an archive. `sha256`: of all `document.json` in order."""

    documents: int = Field(ge=0)
    chunks: int = Field(ge=0)
    vectors: int = Field(ge=0)
    files: int = Field(ge=0)
    sha256: str


class CollectionEntry(Entry):
    """The collection's name and settings."""

    name: str
    title: str = ""
    description: str = ""
    chunker: str = "structure"
    embedder: str | None = None
    languages: tuple[str, ...] = ()
    permission_groups: tuple[str, ...] = ()
    columns: dict[Role, str] = {}
    knowledge: dict[KnowledgeKind, Maker] = {}


class Manifest(Entry):
    """`manifest.json`."""

    format: Literal["footnote-collection"]
    version: int
    made_at: float
    collection: CollectionEntry
    embedder: EmbedderEntry | None
    counts: Counts


class NameEntry(Entry):
    """`ports.Name`."""

    file_name: str
    origin: str | None = None
    version: str = ""


class DocumentEntry(Entry):
    """A document as in the ledger; `indexed_…`: the values of all its passages in the index. `sha256`: part → digest."""

    doc_id: str
    title: str
    file_name: str
    state: Literal["RECEIVED", "PROCESSING", "READY", "FAILED"]
    content_hash: str
    size: int
    permission_groups: tuple[str, ...]
    generation: int = Field(ge=1)
    active_generation: int = Field(ge=0)
    reason: str | None
    remedy: str | None
    pages: int | None
    chunks: int
    lang: str | None
    format: str
    digest: str
    cut: str
    metadata: dict[str, Any]
    owner: str = ""  # archives of earlier versions have none
    created_at: float
    updated_at: float
    names: tuple[NameEntry, ...]
    indexed_title: str
    indexed_metadata: dict[str, Any]
    indexed_at: float
    sha256: dict[str, str]


class ChunkEntry(Entry):
    """A passage. `has_vectors`: whether `vectors.bin` contains its vector and those of its sentences. `metadata`: without that shared by
    all passages of the document. `questions`: written for it by a model."""

    level: Literal[0, 1, 2]
    text: str
    lang: str
    headings: tuple[str, ...]
    page: int | None
    parts: tuple[Part, ...]
    kind: BlockKind
    content_type: ContentType
    bounds: tuple[tuple[int, int], ...]
    has_vectors: bool
    questions: tuple[Question, ...] = Field((), max_length=MOST_QUESTIONS)
    metadata: dict[str, Any] = {}
